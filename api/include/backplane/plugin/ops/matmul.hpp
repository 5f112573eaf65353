// Products of matrices.
#pragma once

#include <cstdint>

namespace backplane::op {

// a[M,K], b[K,N], (bias[N]) -> y[M,N]. Transposed operands come as strides.
struct Matmul {};

// clang-format off
#define BACKPLANE_MATMUL_OPS(row)                  \
  row(Matmul, matmul,  10, 3, 1, 1, false, false)
// clang-format on

}  // namespace backplane::op
