// Every kernel of the texts in this folder: its name and the types of its parameters.
//
// The host launches by these rows, and a device compiler that knows them checks the texts.
#ifndef BACKPLANE_KERNELS_SIGNATURES_H
#define BACKPLANE_KERNELS_SIGNATURES_H

// SOURCE is a tensor that is read, TARGET one that is written: two parameters of the kernel each.
// clang-format off
#define BACKPLANE_ARITHMETIC_KERNELS(row)                                                          \
  row(add_float, Nest, TARGET, SOURCE, SOURCE, i32)                                                \
  row(add_integer, Nest, TARGET, SOURCE, SOURCE, i32)                                              \
  row(sub_float, Nest, TARGET, SOURCE, SOURCE, i32)                                                \
  row(sub_integer, Nest, TARGET, SOURCE, SOURCE, i32)                                              \
  row(mul_float, Nest, TARGET, SOURCE, SOURCE, i32)                                                \
  row(mul_integer, Nest, TARGET, SOURCE, SOURCE, i32)                                              \
  row(div_float, Nest, TARGET, SOURCE, SOURCE, i32)                                                \
  row(pow_float, Nest, TARGET, SOURCE, SOURCE, i32)                                                \
  row(maximum_float, Nest, TARGET, SOURCE, SOURCE, i32)                                            \
  row(maximum_integer, Nest, TARGET, SOURCE, SOURCE, i32)                                          \
  row(minimum_float, Nest, TARGET, SOURCE, SOURCE, i32)                                            \
  row(minimum_integer, Nest, TARGET, SOURCE, SOURCE, i32)                                          \
  row(affine_float, Nest, TARGET, SOURCE, i32, double, double)                                     \
  row(affine_integer, Nest, TARGET, SOURCE, i32, i64, i64)                                         \
  row(affine_rounded, Nest, TARGET, SOURCE, i32, double, double)

#define BACKPLANE_COMPARISON_KERNELS(row)                                                          \
  row(compare_float, Nest, TARGET, SOURCE, SOURCE, i32, i32)                                       \
  row(compare_integer, Nest, TARGET, SOURCE, SOURCE, i32, i32)                                     \
  row(where_bits, Nest, TARGET, SOURCE, SOURCE, SOURCE, i32)

#define BACKPLANE_MEMORY_KERNELS(row)                                                              \
  row(copy_bits, Nest, TARGET, SOURCE, i32)                                                        \
  row(copy_float, Nest, TARGET, SOURCE, i32, i32, i32)                                             \
  row(copy_integer, Nest, TARGET, SOURCE, i32, i32, i32)                                           \
  row(fill, Nest, TARGET, i32, double)

#define BACKPLANE_UNARY_KERNELS(row)                                                               \
  row(neg_float, Nest, TARGET, SOURCE, i32)                                                        \
  row(abs_float, Nest, TARGET, SOURCE, i32)                                                        \
  row(abs_backward_float, Nest, TARGET, SOURCE, SOURCE, i32)                                       \
  row(sign_float, Nest, TARGET, SOURCE, i32)                                                       \
  row(exp_float, Nest, TARGET, SOURCE, i32)                                                        \
  row(log_float, Nest, TARGET, SOURCE, i32)                                                        \
  row(sqrt_float, Nest, TARGET, SOURCE, i32)                                                       \
  row(rsqrt_float, Nest, TARGET, SOURCE, i32)                                                      \
  row(square_float, Nest, TARGET, SOURCE, i32)                                                     \
  row(reciprocal_float, Nest, TARGET, SOURCE, i32)                                                 \
  row(clamp_float, Nest, TARGET, SOURCE, i32, float, float)                                        \
  row(clamp_backward_float, Nest, TARGET, SOURCE, SOURCE, i32, float, float)

#define BACKPLANE_ACTIVATION_KERNELS(row)                                                          \
  row(relu, Nest, TARGET, SOURCE, i32)                                                             \
  row(relu_backward, Nest, TARGET, SOURCE, SOURCE, i32)                                            \
  row(leaky_relu_float, Nest, TARGET, SOURCE, i32, float)                                          \
  row(leaky_relu_backward_float, Nest, TARGET, SOURCE, SOURCE, i32, float)                         \
  row(elu_float, Nest, TARGET, SOURCE, i32, float)                                                 \
  row(elu_backward_float, Nest, TARGET, SOURCE, SOURCE, i32, float)                                \
  row(sigmoid_float, Nest, TARGET, SOURCE, i32)                                                    \
  row(sigmoid_backward_float, Nest, TARGET, SOURCE, SOURCE, i32)                                   \
  row(tanh_float, Nest, TARGET, SOURCE, i32)                                                       \
  row(tanh_backward_float, Nest, TARGET, SOURCE, SOURCE, i32)                                      \
  row(gelu_float, Nest, TARGET, SOURCE, i32, i32)                                                  \
  row(gelu_backward_float, Nest, TARGET, SOURCE, SOURCE, i32, i32)                                 \
  row(silu_float, Nest, TARGET, SOURCE, i32)                                                       \
  row(silu_backward_float, Nest, TARGET, SOURCE, SOURCE, i32)                                      \
  row(bias_activation_float, Nest, TARGET, SOURCE, SOURCE, i32, i32)                               \
  row(softplus_float, Nest, TARGET, SOURCE, i32, float, float)                                     \
  row(softplus_backward_float, Nest, TARGET, SOURCE, SOURCE, i32, float, float)

#define BACKPLANE_LOSS_KERNELS(row)                                                                \
  row(pair_loss, Nest, TARGET, SOURCE, SOURCE, i32, float)                                         \
  row(pair_loss_backward, Nest, TARGET, SOURCE, SOURCE, SOURCE, i32, float, float)                 \
  row(cross_entropy, Nest, Nest, TARGET, TARGET, SOURCE, SOURCE, i32, i32)                         \
  row(cross_entropy_backward, Nest, TARGET, SOURCE, SOURCE, SOURCE, i64, float)                    \
  row(nll, Nest, Labels, TARGET, TARGET, SOURCE, SOURCE, SOURCE)                                   \
  row(nll_mean, TARGET, SOURCE)                                                                    \
  row(nll_backward, Nest, Labels, TARGET, SOURCE, SOURCE, SOURCE, SOURCE)                          \
  row(check_range, Nest, SOURCE, i64, i32, i64, u64, TARGET, TARGET)

#define BACKPLANE_DATA_KERNELS(row)                                                                \
  row(normalize, Nest, TARGET, SOURCE, SOURCE, SOURCE)

#define BACKPLANE_REDUCTION_KERNELS(row)                                                           \
  row(sum_float, Nest, Nest, TARGET, SOURCE, i32, i32, i64, i32, float, i32)                       \
  row(sum_integer, Nest, Nest, TARGET, SOURCE, i32, i32, i64, i32, u64, i32)                       \
  row(fold_float, Nest, Nest, TARGET, SOURCE, i32, i32, i64, i32, i32)                             \
  row(fold_integer, Nest, Nest, TARGET, SOURCE, i32, i32, i64, i32, i32)                           \
  row(cumsum_float, Nest, Nest, TARGET, SOURCE, i32, i32, i32)                                     \
  row(cumsum_integer, Nest, Nest, TARGET, SOURCE, i32, i32, i32)                                   \
  row(arg_max_float, Nest, Nest, TARGET, SOURCE, i32, i32, i32)                                    \
  row(arg_max_integer, Nest, Nest, TARGET, SOURCE, i32, i32, i32)

#define BACKPLANE_SOFTMAX_KERNELS(row)                                                             \
  row(softmax, Nest, Nest, TARGET, SOURCE, i32)                                                    \
  row(softmax_backward, Nest, Nest, TARGET, SOURCE, SOURCE, i32)                                   \
  row(log_softmax, Nest, Nest, TARGET, SOURCE, i32)                                                \
  row(log_softmax_backward, Nest, Nest, TARGET, SOURCE, SOURCE, i32)

#define BACKPLANE_CONVOLUTION_KERNELS(row)                                                         \
  row(im2col, Window, i64, i64, TARGET, SOURCE, i32)                                               \
  row(col2im, Window, i64, i64, TARGET, SOURCE)

#define BACKPLANE_POOLING_KERNELS(row)                                                             \
  row(max_pool2d, Nest, Window, TARGET, TARGET, SOURCE, i32, i32)                                  \
  row(max_pool2d_backward, Nest, Window, TARGET, SOURCE, SOURCE, i32)                              \
  row(relu_max_pool2d, Nest, Window, TARGET, TARGET, SOURCE, SOURCE, SOURCE, i32)                  \
  row(resample, Nest, Resample, TARGET, SOURCE)                                                    \
  row(resample_backward, Nest, Resample, TARGET, SOURCE)

#define BACKPLANE_NORMALIZATION_KERNELS(row)                                                       \
  row(standardize, Nest, Nest, TARGET, TARGET, TARGET, SOURCE, float, i32)                         \
  row(standardize_backward, Nest, Nest, TARGET, SOURCE, SOURCE, SOURCE, float, i32)                \
  row(scale_shift, Nest, TARGET, SOURCE, SOURCE, SOURCE, i32)

#define BACKPLANE_RANDOM_KERNELS(row)                                                              \
  row(dropout, Nest, Draw, TARGET, SOURCE, i64, i64, float, double)                                \
  row(dropout2d, Nest, Draw, TARGET, SOURCE, i64, i64, i64, float, double)                         \
  row(uniform, Nest, Draw, TARGET, float, float)                                                   \
  row(normal, Nest, Draw, TARGET, float, float)

#define BACKPLANE_OPTIMIZER_KERNELS(row)                                                           \
  row(sgd_step, Nest, SgdScalars, TARGET, SOURCE, TARGET, SOURCE)                                  \
  row(adam_step, Nest, AdamScalars, TARGET, SOURCE, TARGET, TARGET, SOURCE)                        \
  row(rmsprop_step, Nest, RmspropScalars, TARGET, SOURCE, TARGET, TARGET, TARGET, SOURCE)          \
  row(square_sums, Nest, TARGET, SOURCE)                                                           \
  row(norm_of_sums, TARGET, SOURCE, i64)                                                           \
  row(clip_by_norm, Nest, TARGET, SOURCE, float)

#define BACKPLANE_INDEX_KERNELS(row)                                                               \
  row(gather, Nest, TARGET, SOURCE, SOURCE, i64, i64, i32)                                         \
  row(link_equal, Nest, TARGET, SOURCE, i64, i64, i64)                                             \
  row(scatter_add_float, Nest, TARGET, SOURCE, SOURCE, SOURCE, i64, i64, i64, i64, i64, i32)       \
  row(scatter_add_integer, Nest, TARGET, SOURCE, SOURCE, SOURCE, i64, i64, i64, i64, i64, i32)     \
  row(top_k_float, Nest, TARGET, TARGET, SOURCE, i64, i64, i64, i64, i64, i32, i32, i32)           \
  row(top_k_integer, Nest, TARGET, TARGET, SOURCE, i64, i64, i64, i64, i64, i32, i32, i32)

#define BACKPLANE_KERNELS(row)          \
  BACKPLANE_ARITHMETIC_KERNELS(row)     \
  BACKPLANE_COMPARISON_KERNELS(row)     \
  BACKPLANE_MEMORY_KERNELS(row)         \
  BACKPLANE_UNARY_KERNELS(row)          \
  BACKPLANE_ACTIVATION_KERNELS(row)     \
  BACKPLANE_LOSS_KERNELS(row)           \
  BACKPLANE_DATA_KERNELS(row)           \
  BACKPLANE_INDEX_KERNELS(row)          \
  BACKPLANE_REDUCTION_KERNELS(row)      \
  BACKPLANE_SOFTMAX_KERNELS(row)        \
  BACKPLANE_CONVOLUTION_KERNELS(row)    \
  BACKPLANE_POOLING_KERNELS(row)        \
  BACKPLANE_NORMALIZATION_KERNELS(row)  \
  BACKPLANE_RANDOM_KERNELS(row)         \
  BACKPLANE_OPTIMIZER_KERNELS(row)
// clang-format on

#endif
