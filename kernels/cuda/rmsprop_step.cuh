// rmsprop_step on up to BATCH_TENSORS dense tensors; the grid's second axis is the tensor.
#include "../rmsprop_step.cl"
#include "batch.h"

KERNEL(rmsprop_step_batch, Batch batch, RmspropScalars scalars, SRC(record)) {
  if (SRC_AS(Fault, record)->code != 0) return;
  float* parameter = (float*)batch.lists[0][blockIdx.y];
  const float* gradient = (const float*)batch.lists[1][blockIdx.y];
  float* second = (float*)batch.lists[2][blockIdx.y];
  float* first = (float*)batch.lists[3][blockIdx.y];
  float* momentum = (float*)batch.lists[scalars.centered ? 4 : 3][blockIdx.y];
  FOR_EACH(i, batch.counts[blockIdx.y]) {
    const RmspropState before = {parameter[i], second[i], scalars.centered ? first[i] : 0.0f,
                                 scalars.has_momentum ? momentum[i] : 0.0f};
    const RmspropState after = rmsprop_update(before, gradient[i], scalars);
    parameter[i] = after.p;
    second[i] = after.v;
    if (scalars.centered) first[i] = after.a;
    if (scalars.has_momentum) momentum[i] = after.m;
  }
}
