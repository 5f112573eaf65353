// All device code of the plug-in: the shared texts, and what only CUDA can say. The one file that
// nvcc compiles.
#include "kernels.hpp"

// nvcc checks the signatures by which the host launches against the texts.
#define SOURCE const char*, i64
#define TARGET char*, i64
#define BACKPLANE_KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__);
BACKPLANE_KERNELS(BACKPLANE_KERNEL)
extern "C" __global__ void sgd_step_batch(Batch, SgdScalars, SOURCE);
extern "C" __global__ void adam_step_batch(Batch, AdamScalars, SOURCE);
extern "C" __global__ void rmsprop_step_batch(Batch, RmspropScalars, SOURCE);
extern "C" __global__ void square_sums_batch(Batch);
extern "C" __global__ void clip_by_norm_batch(Batch, float);
extern "C" __global__ void clip_by_value_batch(Batch, float);
#undef BACKPLANE_KERNEL
#undef SOURCE
#undef TARGET

#include "activation.cl"
#include "affine.cl"
#include "arg_max.cl"
#include "arithmetic.cl"
#include "check_range.cl"
#include "comparison.cl"
#include "conv2d.cl"
#include "copy.cl"
#include "cross_entropy.cl"
#include "cumsum.cl"
#include "dropout.cl"
#include "dropout2d.cl"
#include "fill.cl"
#include "fold.cl"
#include "gather.cl"
#include "log_softmax.cl"
#include "max_pool2d.cl"
#include "nll.cl"
#include "normal.cl"
#include "normalize.cl"
#include "pair_loss.cl"
#include "relu.cl"
#include "resample.cl"
#include "scale_shift.cl"
#include "scatter_add.cl"
#include "softmax.cl"
#include "standardize.cl"
#include "sum.cl"
#include "top_k.cl"
#include "unary.cl"
#include "uniform.cl"

#include "cuda/adam_step.cuh"
#include "cuda/clip.cuh"
#include "cuda/rmsprop_step.cuh"
#include "cuda/sgd_step.cuh"

#define BACKPLANE_KERNEL(name, ...) reinterpret_cast<const void*>(&name),
const void* const backplane_cuda_kernels[] = {BACKPLANE_KERNELS(BACKPLANE_KERNEL)};
#undef BACKPLANE_KERNEL
const void* const backplane_cuda_sgd_step_batch = reinterpret_cast<const void*>(&sgd_step_batch);
const void* const backplane_cuda_adam_step_batch = reinterpret_cast<const void*>(&adam_step_batch);
const void* const backplane_cuda_rmsprop_step_batch =
    reinterpret_cast<const void*>(&rmsprop_step_batch);
const void* const backplane_cuda_square_sums_batch =
    reinterpret_cast<const void*>(&square_sums_batch);
const void* const backplane_cuda_clip_by_norm_batch =
    reinterpret_cast<const void*>(&clip_by_norm_batch);
const void* const backplane_cuda_clip_by_value_batch =
    reinterpret_cast<const void*>(&clip_by_value_batch);
