// Products of f32 matrices of which one dim is small, where a general product spends its time on
// putting operands in order.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// y[rows, columns] (+)= a[rows, inner] * b[inner, columns] + bias[columns]; the bias may be null.
// y has columns without gaps.
struct ThinProduct {
  std::int64_t rows, columns, inner;
  const float* a;
  std::int64_t a_row_stride, a_stride;
  const float* b;
  std::int64_t b_row_stride, b_stride;
  const float* bias;
  float* y;
  std::int64_t y_row_stride;
  bool adds;
};

// Both operands without gaps along `inner`: each element of y is a dot product.
void dot_product(const ThinProduct& problem);

// b without gaps along its columns: rows of y are sums of rows of b.
void row_product(const ThinProduct& problem);

}  // namespace backplane::cpu
