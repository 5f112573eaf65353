// Every kernel as the host sees it: nvcc checks these lines against the texts in kernels/, and the
// linker finds the host's half of each under the same name.
#pragma once

#include "arguments.h"
#include "cuda/batch.h"

#if defined(__CUDACC__)
#define DEVICE_ENTRY __global__
#else
#define DEVICE_ENTRY
#endif
// A tensor is the start of its buffer and an offset in bytes.
#define SOURCE const char*, i64
#define TARGET char*, i64

extern "C" {

DEVICE_ENTRY void add_float(Nest, TARGET, SOURCE, SOURCE, i32 dtype);
DEVICE_ENTRY void add_integer(Nest, TARGET, SOURCE, SOURCE, i32 dtype);
DEVICE_ENTRY void mul_float(Nest, TARGET, SOURCE, SOURCE, i32 dtype);
DEVICE_ENTRY void mul_integer(Nest, TARGET, SOURCE, SOURCE, i32 dtype);
DEVICE_ENTRY void affine_float(Nest, TARGET, SOURCE, i32 dtype, double scale, double shift);
DEVICE_ENTRY void affine_integer(Nest, TARGET, SOURCE, i32 dtype, i64 scale, i64 shift);
DEVICE_ENTRY void affine_rounded(Nest, TARGET, SOURCE, i32 dtype, double scale, double shift);
DEVICE_ENTRY void copy_bits(Nest, TARGET, SOURCE, i32 element_bytes);
DEVICE_ENTRY void copy_float(Nest, TARGET, SOURCE, i32 y_dtype, i32 x_dtype, i32 adds);
DEVICE_ENTRY void copy_integer(Nest, TARGET, SOURCE, i32 y_dtype, i32 x_dtype, i32 adds);
DEVICE_ENTRY void fill(Nest, TARGET, i32 dtype, double value);
DEVICE_ENTRY void relu(Nest, TARGET, SOURCE, i32 dtype);
DEVICE_ENTRY void relu_backward(Nest, TARGET, SOURCE, SOURCE, i32 dtype);
DEVICE_ENTRY void mse(Nest, TARGET, SOURCE, SOURCE);
DEVICE_ENTRY void mse_backward(Nest, TARGET, SOURCE, SOURCE, SOURCE, float divisor);
DEVICE_ENTRY void normalize(Nest, TARGET, SOURCE, SOURCE, SOURCE);

DEVICE_ENTRY void sum_float(Nest outputs, Nest inputs, TARGET, SOURCE, i32 y_dtype, i32 x_dtype,
                            i64 chunks, i32 lanes, float divisor, i32 adds);
DEVICE_ENTRY void sum_integer(Nest outputs, Nest inputs, TARGET, SOURCE, i32 y_dtype, i32 x_dtype,
                              i64 chunks, i32 lanes, u64 divisor, i32 adds);
DEVICE_ENTRY void arg_max_float(Nest, Nest, TARGET, SOURCE, i32 dtype, i32 lanes);
DEVICE_ENTRY void arg_max_integer(Nest, Nest, TARGET, SOURCE, i32 dtype, i32 lanes);
DEVICE_ENTRY void softmax(Nest, Nest, TARGET, SOURCE, i32 lanes);
DEVICE_ENTRY void softmax_backward(Nest, Nest, TARGET, SOURCE, SOURCE, i32 lanes);
DEVICE_ENTRY void log_softmax(Nest, Nest, TARGET, SOURCE, i32 lanes);
DEVICE_ENTRY void log_softmax_backward(Nest, Nest, TARGET, SOURCE, SOURCE, i32 lanes);
DEVICE_ENTRY void cross_entropy(Nest samples, Nest classes, TARGET, TARGET, SOURCE, SOURCE,
                                i32 keeps_log_probabilities, i32 lanes);
DEVICE_ENTRY void cross_entropy_backward(Nest, TARGET, SOURCE, SOURCE, SOURCE, i64 classes,
                                         float divisor);
DEVICE_ENTRY void check_range(SOURCE, i64 count, i64 stride, i64 limit, u64 sequence, TARGET,
                              TARGET);

DEVICE_ENTRY void im2col(Window, i64 images, i64 channels, TARGET, SOURCE);
DEVICE_ENTRY void col2im(Window, i64 images, i64 channels, TARGET, SOURCE);
DEVICE_ENTRY void max_pool2d(Nest, Window, TARGET, TARGET, SOURCE, i32 keeps_winners, i32 wide);
DEVICE_ENTRY void max_pool2d_backward(Nest, Window, TARGET, SOURCE, SOURCE, i32 wide);

DEVICE_ENTRY void dropout(Nest, Draw, TARGET, SOURCE, i64 samples, i64 sample_size, float p,
                          double scale);
DEVICE_ENTRY void dropout2d(Nest, Draw, TARGET, SOURCE, i64 samples, i64 channels, i64 plane_size,
                            float p, double scale);
DEVICE_ENTRY void uniform(Nest, Draw, TARGET, float low, float high);
DEVICE_ENTRY void normal(Nest, Draw, TARGET, float mean, float deviation);

DEVICE_ENTRY void sgd_step(Nest, SgdScalars, TARGET, SOURCE, TARGET, SOURCE);
DEVICE_ENTRY void sgd_step_batch(Batch, SgdScalars, SOURCE);
DEVICE_ENTRY void adam_step(Nest, AdamScalars, TARGET, SOURCE, TARGET, TARGET, SOURCE);
DEVICE_ENTRY void adam_step_batch(Batch, AdamScalars, SOURCE);

}  // extern "C"

#undef SOURCE
#undef TARGET
#undef DEVICE_ENTRY
