// Where the host finds its half of each kernel, by which CUDA knows it.
#pragma once

#include "arguments.h"
#include "cuda/batch.h"
#include "signatures.h"

extern "C" {
extern const void* const backplane_cuda_kernels[];  // in the order of signatures.h
extern const void* const backplane_cuda_sgd_step_batch;
extern const void* const backplane_cuda_adam_step_batch;
extern const void* const backplane_cuda_rmsprop_step_batch;
extern const void* const backplane_cuda_square_sums_batch;
extern const void* const backplane_cuda_clip_by_norm_batch;
extern const void* const backplane_cuda_clip_by_value_batch;
}
