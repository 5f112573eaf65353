// matmul in double: four rows of y at a time, in strips of columns that stay in the first cache.
#include "cpu/matmul.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/matmul.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

constexpr std::int64_t rows_at_once = 4, strip_columns = 256;

// `rows` rows of y (at most rows_at_once) times `count` columns (at most strip_columns).
HWY_INLINE void matmul_strip(const MatmulF64& p, std::int64_t row, std::int64_t rows,
                             std::int64_t column, std::int64_t count) {
  double sum[rows_at_once][strip_columns] = {};
  for (std::int64_t k = 0; k < p.inner; ++k) {
    const double* HWY_RESTRICT b = p.b + k * p.b_row_stride + column;
    double a[rows_at_once] = {};
    for (std::int64_t r = 0; r < rows; ++r) a[r] = p.a[(row + r) * p.a_row_stride + k * p.a_stride];
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t r = 0; r < rows_at_once; ++r) sum[r][i] += a[r] * b[i];
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    double* y = p.y + (row + r) * p.y_row_stride + column;
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = sum[r][i] + (p.bias == nullptr ? 0.0 : p.bias[column + i]);
      y[i] = p.adds ? y[i] + value : value;
    }
  }
}

void matmul_f64(const MatmulF64& p) {
  for (std::int64_t row = 0; row < p.rows; row += rows_at_once) {
    const std::int64_t rows = std::min(rows_at_once, p.rows - row);
    for (std::int64_t column = 0; column < p.columns; column += strip_columns) {
      matmul_strip(p, row, rows, column, std::min(strip_columns, p.columns - column));
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(matmul_f64);

void matmul(const MatmulF64& problem) {
  HWY_DYNAMIC_DISPATCH(matmul_f64)(problem);
}

}  // namespace backplane::cpu
#endif
