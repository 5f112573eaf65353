// normal: random numbers, normally distributed. Operand of the nest: y.
#include "nest.h"
#include "philox.h"

KERNEL(normal, Nest nest, Draw draw, DST(y), float mean, float deviation) {
  FOR_EACH(block, (nest.count + 1) / 2) {
    const Words words = philox_block(draw, (u64)block, 0);
    for (i32 j = 0; j < 2; ++j) {
      const i64 element = 2 * block + j;
      if (element >= nest.count) break;
      const float z = philox_normal(words.word[2 * j], words.word[2 * j + 1]);
      const double value = (double)mean + (double)deviation * (double)z;
      DST_AS(float, y)[locate(&nest, element, 1).at[0]] = (float)value;
    }
  }
}
