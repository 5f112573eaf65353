// adam_step on up to BATCH_TENSORS dense tensors; the grid's second axis is the tensor.
#include "../adam_step.cl"
#include "batch.h"

KERNEL(adam_step_batch, Batch batch, AdamScalars scalars, SRC(record)) {
  if (SRC_AS(Fault, record)->code != 0) return;
  float* parameter = (float*)batch.lists[0][blockIdx.y];
  const float* gradient = (const float*)batch.lists[1][blockIdx.y];
  float* first = (float*)batch.lists[2][blockIdx.y];
  float* second = (float*)batch.lists[3][blockIdx.y];
  FOR_EACH(i, batch.counts[blockIdx.y]) {
    const AdamState before = {parameter[i], first[i], second[i]};
    const AdamState after = adam_update(before, gradient[i], scalars);
    parameter[i] = after.p;
    first[i] = after.m;
    second[i] = after.v;
  }
}
