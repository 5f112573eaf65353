// uniform: random numbers, evenly between two bounds. Operand of the nest: y.
#include "nest.h"
#include "philox.h"

KERNEL(uniform, Nest nest, Draw draw, DST(y), float low, float high) {
  FOR_EACH(block, (nest.count + 3) / 4) {
    const Words words = philox_block(draw, (u64)block, 0);
    for (i32 j = 0; j < 4; ++j) {
      const i64 element = 4 * block + j;
      if (element >= nest.count) break;
      const float value = fma(philox_uniform(words.word[j]), high - low, low);
      DST_AS(float, y)[locate(&nest, element, 1).at[0]] = value;
    }
  }
}
