// Products of f32 matrices of which one dim is small: blocks of y in registers.
#include "cpu/thin_product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/thin_product.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

// Rows and columns of y that are summed at a time: 16 sums fit the registers of every target but
// those with 16 in all, where a few live on the stack.
constexpr std::int64_t block = 4;

HWY_INLINE void write(const ThinProduct& p, std::int64_t row, std::int64_t column, float value) {
  float& y = p.y[row * p.y_row_stride + column];
  if (p.bias != nullptr) value += p.bias[column];
  y = p.adds ? y + value : value;
}

template <int kRows, int kColumns>
HWY_INLINE void dot_block(const ThinProduct& p, std::int64_t row, std::int64_t column) {
  const Floats d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const float* a = p.a + row * p.a_row_stride;
  const float* b = p.b + column * p.b_stride;
  Vector sums[kRows][kColumns];
  for (auto& line : sums) {
    for (Vector& sum : line) sum = hn::Zero(d);
  }
  std::int64_t k = 0;
  for (; k + lanes <= p.inner; k += lanes) {
    Vector left[kRows];
    for (int r = 0; r < kRows; ++r) left[r] = hn::LoadU(d, a + r * p.a_row_stride + k);
    for (int c = 0; c < kColumns; ++c) {
      const Vector right = hn::LoadU(d, b + c * p.b_stride + k);
      for (int r = 0; r < kRows; ++r) sums[r][c] = hn::MulAdd(left[r], right, sums[r][c]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      float sum = hn::GetLane(hn::SumOfLanes(d, sums[r][c]));
      for (std::int64_t i = k; i < p.inner; ++i) {
        sum += a[r * p.a_row_stride + i] * b[c * p.b_stride + i];
      }
      write(p, row + r, column + c, sum);
    }
  }
}

template <int kRows>
HWY_INLINE void dot_rows(const ThinProduct& p, std::int64_t row) {
  std::int64_t column = 0;
  for (; column + block <= p.columns; column += block) dot_block<kRows, block>(p, row, column);
  for (; column < p.columns; ++column) dot_block<kRows, 1>(p, row, column);
}

// `kRows` rows of y, `kVectors` vectors of columns.
template <int kRows, int kVectors>
HWY_INLINE void row_block(const ThinProduct& p, std::int64_t row, std::int64_t column) {
  const Floats d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Vector sums[kRows][kVectors];
  for (auto& line : sums) {
    for (Vector& sum : line) sum = hn::Zero(d);
  }
  for (std::int64_t k = 0; k < p.inner; ++k) {
    const float* b = p.b + k * p.b_row_stride + column;
    Vector right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const Vector left = hn::Set(d, p.a[(row + r) * p.a_row_stride + k * p.a_stride]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float* y = p.y + (row + r) * p.y_row_stride + column;
    for (int v = 0; v < kVectors; ++v) {
      Vector value = sums[r][v];
      if (p.bias != nullptr) value = hn::Add(value, hn::LoadU(d, p.bias + column + v * lanes));
      if (p.adds) value = hn::Add(hn::LoadU(d, y + v * lanes), value);
      hn::StoreU(value, d, y + v * lanes);
    }
  }
}

template <int kRows>
HWY_INLINE void row_strip(const ThinProduct& p, std::int64_t row) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  std::int64_t column = 0;
  for (; column + 2 * lanes <= p.columns; column += 2 * lanes) row_block<kRows, 2>(p, row, column);
  for (; column + lanes <= p.columns; column += lanes) row_block<kRows, 1>(p, row, column);
  for (; column < p.columns; ++column) {
    for (std::int64_t r = row; r < row + kRows; ++r) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.inner; ++k) {
        sum += p.a[r * p.a_row_stride + k * p.a_stride] * p.b[k * p.b_row_stride + column];
      }
      write(p, r, column, sum);
    }
  }
}

}  // namespace

void thin_dot(const ThinProduct& p) {
  std::int64_t row = 0;
  for (; row + block <= p.rows; row += block) dot_rows<block>(p, row);
  for (; row < p.rows; ++row) dot_rows<1>(p, row);
}

void thin_rows(const ThinProduct& p) {
  std::int64_t row = 0;
  for (; row + block <= p.rows; row += block) row_strip<block>(p, row);
  for (; row < p.rows; ++row) row_strip<1>(p, row);
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(thin_dot);
HWY_EXPORT(thin_rows);

void dot_product(const ThinProduct& problem) {
  HWY_DYNAMIC_DISPATCH(thin_dot)(problem);
}
void row_product(const ThinProduct& problem) {
  HWY_DYNAMIC_DISPATCH(thin_rows)(problem);
}

}  // namespace backplane::cpu
#endif
