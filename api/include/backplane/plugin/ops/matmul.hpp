// Products of matrices.
#pragma once

#include <cstdint>

namespace backplane::op {

// a[...,M,K], b[...,K,N], (bias[N]) -> y[...,M,N]: a product for each index of the leading axes, of
// which all three have the same. Transposed operands come as strides, repeated ones as strides of
// 0. A bias comes with rank 2 only. a and b have one type; where it has 16 bits, products are added
// up in f32, and y and bias are f32; a device may decline a y of the 16-bit type itself.
struct Matmul {};

// clang-format off
#define BACKPLANE_MATMUL_OPS(row)                  \
  row(Matmul, matmul,  10, 3, 1, 1, false, false)
// clang-format on

}  // namespace backplane::op
