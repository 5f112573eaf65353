// The norm of many tensors, and what scales one of them down to a norm. clamp_float (unary.cl)
// clips by value.
#include "lines.h"

// The squares of each piece of x are added by one group; their sum goes to sums[piece].
KERNEL(square_sums, Nest nest, DST(sums), SRC(x)) {
  SHARED(float, scratch, GROUP);
  const i64 chunks = SQUARE_CHUNKS(nest.count);
  const i64 length = (nest.count + chunks - 1) / chunks;
  FOR_EACH_LINE(chunk, chunks, GROUP) {
    const i64 begin = chunk * length;
    const i64 end = SMALLER(begin + length, LENGTH_OF(chunk, chunks, nest.count));
    float sum = 0.0f;
    FOR_EACH_IN_LINE(i, begin, end, GROUP) {
      const float element = SRC_AS(float, x)[locate(&nest, i, 1).at[0]];
      sum = fma(element, element, sum);
    }
    sum = tree_sum(scratch, GROUP, sum);
    if (LOCAL_ID == 0 && chunk < chunks) DST_AS(float, sums)[chunk] = sum;
  }
}

// One group: the square root of the sum of `count` sums.
KERNEL(norm_of_sums, DST(norm), SRC(sums), i64 count) {
  SHARED(float, scratch, GROUP);
  float sum = 0.0f;
  FOR_EACH_IN_LINE(i, 0, count, GROUP) {
    sum += SRC_AS(float, sums)[i];
  }
  sum = tree_sum(scratch, GROUP, sum);
  if (LOCAL_ID == 0) DST_AS(float, norm)[0] = sqrt(sum);
}

// Operand of the nest: x, which is changed where it lies.
KERNEL(clip_by_norm, Nest nest, DST(x), SRC(norm), float max_norm) {
  const float factor = max_norm / (SRC_AS(float, norm)[0] + 1e-6f);
  if (factor >= 1.0f) return;  // and not where it is NaN
  FOR_EACH(i, nest.count) {
    DST_AS(float, x)[locate(&nest, i, 1).at[0]] *= factor;
  }
}
