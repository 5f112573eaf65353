// matmul in double precision, for which the vendor's library has no kernel.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// y[rows, columns] (+)= a[rows, inner] * b[inner, columns] + bias[columns]; the bias may be null.
// a has any strides; b and y have columns without gaps and a stride between rows.
struct MatmulF64 {
  std::int64_t rows, columns, inner;
  const double* a;
  std::int64_t a_row_stride, a_stride;
  const double* b;
  std::int64_t b_row_stride;
  const double* bias;
  double* y;
  std::int64_t y_row_stride;
  bool adds;
};
void matmul(const MatmulF64& problem);

}  // namespace backplane::cpu
