// dropout: each element stays, scaled, or becomes +0. Operands of the nest: y, x.
#include "nest.h"
#include "philox.h"

// `scale` is 1 / (1 - p), in double, so that the product is within one rounding of x / (1 - p).
KERNEL(dropout, Nest nest, Draw draw, DST(y), SRC(x), i64 samples, i64 sample_size, float p,
       double scale) {
  const i64 blocks = (sample_size + 3) / 4;
  FOR_EACH(i, samples * blocks) {
    const i64 sample = quotient(i, blocks), block = i - sample * blocks;
    const Words words = philox_block(draw, (u64)block, (u32)sample);
    for (i32 j = 0; j < 4; ++j) {
      const i64 element = 4 * block + j;
      if (element >= sample_size) break;
      const Places at = locate(&nest, sample * sample_size + element, 2);
      const float kept = (float)((double)SRC_AS(float, x)[at.at[1]] * scale);
      DST_AS(float, y)[at.at[0]] = philox_uniform(words.word[j]) >= p ? kept : 0.0f;
    }
  }
}
