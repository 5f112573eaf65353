// What clip.cl does to one tensor, and clamp_float, on up to BATCH_TENSORS dense tensors; the
// grid's second axis is the tensor.
#include "../clip.cl"
#include "batch.h"

// Lists of the batch: x, where its sums go.
KERNEL(square_sums_batch, Batch batch) {
  SHARED(float, scratch, GROUP);
  const float* x = (const float*)batch.lists[0][blockIdx.y];
  float* sums = (float*)batch.lists[1][blockIdx.y];
  const i64 count = batch.counts[blockIdx.y], chunks = SQUARE_CHUNKS(count);
  const i64 length = chunks > 0 ? (count + chunks - 1) / chunks : 0;
  FOR_EACH_LINE(chunk, chunks, GROUP) {
    const i64 begin = chunk * length, end = SMALLER(begin + length, count);
    float sum = 0.0f;
    FOR_EACH_IN_LINE(i, begin, end, GROUP) {
      sum = fma(x[i], x[i], sum);
    }
    sum = tree_sum(scratch, GROUP, sum);
    if (LOCAL_ID == 0) sums[chunk] = sum;
  }
}

// Lists of the batch: x, the norm.
KERNEL(clip_by_norm_batch, Batch batch, float max_norm) {
  float* x = (float*)batch.lists[0][blockIdx.y];
  const float factor = max_norm / (*(const float*)batch.lists[1][blockIdx.y] + 1e-6f);
  if (factor >= 1.0f) return;  // and not where it is NaN
  FOR_EACH(i, batch.counts[blockIdx.y]) {
    x[i] *= factor;
  }
}

KERNEL(clip_by_value_batch, Batch batch, float limit) {
  float* x = (float*)batch.lists[0][blockIdx.y];
  FOR_EACH(i, batch.counts[blockIdx.y]) {
    x[i] = clamped(x[i], -limit, limit);
  }
}
