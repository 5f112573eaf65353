// The kernels of this folder, as ../signatures.h lists those of all cards.
#ifndef BACKPLANE_KERNELS_OPENCL_SIGNATURES_H
#define BACKPLANE_KERNELS_OPENCL_SIGNATURES_H

#include "arguments.h"

// clang-format off
#define BACKPLANE_OPENCL_KERNELS(row)                                                              \
  row(product_tiled, ProductShape, TARGET, SOURCE, SOURCE, i32)                                    \
  row(pack_panels, i64, i64, i64, i64, i64, TARGET, SOURCE)                                        \
  row(product_blocked, ProductShape, TARGET, SOURCE, SOURCE, i32)                                  \
  row(pack_filters, Convolution, i64, i64, i32, TARGET, SOURCE)                                    \
  row(conv2d_blocked, Convolution, i64, i64, TARGET, SOURCE, SOURCE, SOURCE, i64, i32, TARGET)          \
  row(conv2d_weight_blocked, Convolution, i64, SOURCE, SOURCE, TARGET)                             \
  row(conv2d_weight_sum, Convolution, i64, i64, TARGET, SOURCE, i32)                               \
  row(conv2d_bias_sum, Convolution, i64, i64, TARGET, i64, SOURCE, i32)
// clang-format on

#endif
