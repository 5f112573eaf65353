// sgd_step on up to BATCH_TENSORS dense tensors; the grid's second axis is the tensor.
#include "../sgd_step.cl"
#include "batch.h"

KERNEL(sgd_step_batch, Batch batch, SgdScalars scalars, SRC(record)) {
  if (SRC_AS(Fault, record)->code != 0) return;
  float* parameter = (float*)batch.lists[0][blockIdx.y];
  const float* gradient = (const float*)batch.lists[1][blockIdx.y];
  float* momentum = (float*)batch.lists[2][blockIdx.y];
  FOR_EACH(i, batch.counts[blockIdx.y]) {
    SgdState state = {parameter[i], scalars.has_momentum ? momentum[i] : 0.0f};
    state = sgd_update(state, gradient[i], scalars);
    parameter[i] = state.p;
    if (scalars.has_momentum) momentum[i] = state.m;
  }
}
