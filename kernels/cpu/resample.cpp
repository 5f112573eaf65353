// resample and its backward operation: vectors of channels, or of a row's neighbours.
#include "cpu/resample.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/resample.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/resample_rows-inl.h"
#include "cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Calls visit(row of src, column of src, weight) for all taps of an output.
template <class Visit>
HWY_INLINE void for_each_tap(const Taps& rows, const Taps& columns, const Visit& visit) {
  for (std::int64_t i = 0; i < rows.count; ++i) {
    for (std::int64_t k = 0; k < columns.count; ++k) {
      visit(rows.begin + i, columns.begin + k, weight_of(rows, i) * weight_of(columns, k));
    }
  }
}

HWY_INLINE void resample_pixel(std::int64_t channels, const Taps& rows, const Taps& columns,
                               const Image<const float>& src, float* HWY_RESTRICT dst) {
  std::fill_n(dst, channels, 0.0f);
  for_each_tap(rows, columns, [&](std::int64_t row, std::int64_t column, float weight) HWY_ATTR {
    const float* HWY_RESTRICT from = pixel(src, row, column);
    for (std::int64_t i = 0; i < channels; ++i) dst[i] += weight * from[i];
  });
}

// Windows as wide as those of global pooling are summed one by one, in double.
constexpr std::int64_t wide_window = 16;

HWY_INLINE bool are_rows(std::int64_t channels, const TapLine& columns,
                         const Image<const float>& from, const Image<float>& to) {
  return channels == 1 && from.column_stride == 1 && to.column_stride == 1 &&
         columns.longest < wide_window;
}

HWY_INLINE float resample_one(const Taps& rows, const Taps& columns,
                              const Image<const float>& src) {
  float total = 0;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const float* from = pixel(src, rows.begin + i, columns.begin);
    float sum = 0;
    if (src.column_stride == 1 && columns.count >= wide_window) {
      const auto elements = [&](std::int64_t k, std::int64_t left)
                                HWY_ATTR { return load(from + k, left, 0); };
      sum = static_cast<float>(sum_of(columns.count, elements)) * columns.other;
    } else {
      for (std::int64_t k = 0; k < columns.count; ++k) {
        sum += from[k * src.column_stride] * weight_of(columns, k);
      }
    }
    total += sum * weight_of(rows, i);
  }
  return total;
}

void resample_f32(std::int64_t channels, std::int64_t begin, std::int64_t end, const TapLine& rows,
                  const TapLine& columns, const Image<const float>& src, const Image<float>& dst) {
  if (are_rows(channels, columns, src, dst)) {
    for (std::int64_t first = 0; first < dst.width;) {
      const Piece piece = piece_from(first, dst.width, columns);
      for (std::int64_t row = begin; row < end; ++row) {
        resample_row(rows.taps[row], columns, piece, src, pixel(dst, row, 0));
      }
      first = piece.last;
    }
    return;
  }
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t column = 0; column < dst.width; ++column) {
      float* to = pixel(dst, row, column);
      if (channels == 1) {
        *to = resample_one(rows.taps[row], columns.taps[column], src);
      } else {
        resample_pixel(channels, rows.taps[row], columns.taps[column], src, to);
      }
    }
  }
}

void resample_backward_f32(std::int64_t channels, const TapLine& rows, const TapLine& columns,
                           const Image<const float>& diff_dst, const Image<float>& diff_src) {
  if (are_rows(channels, columns, diff_dst, diff_src)) {
    return spread_rows(rows, columns, diff_dst, diff_src);
  }
  fill_zeros(diff_src, channels, 0, 0);
  for (std::int64_t row = 0; row < diff_dst.height; ++row) {
    for (std::int64_t column = 0; column < diff_dst.width; ++column) {
      const float* HWY_RESTRICT from = pixel(diff_dst, row, column);
      for_each_tap(rows.taps[row], columns.taps[column],
                   [&](std::int64_t at_row, std::int64_t at_column, float weight) HWY_ATTR {
                     float* HWY_RESTRICT to = pixel(diff_src, at_row, at_column);
                     for (std::int64_t i = 0; i < channels; ++i) to[i] += weight * from[i];
                   });
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

namespace {

bool alike(const Taps& a, const Taps& b, std::int64_t step) {
  return b.begin - a.begin == step && a.count == b.count && a.first == b.first &&
         a.other == b.other;
}

}  // namespace

TapLine::TapLine(const Taps* of, std::int64_t count)
    : taps(of), alike_begin(0), alike_end(0), step(0), longest(0) {
  for (std::int64_t o = 0; o < count; ++o) longest = std::max(longest, taps[o].count);
  // Those at the edges may differ: from the middle as far as it goes.
  const std::int64_t middle = count / 2;
  if (middle == 0) return;
  step = taps[middle].begin - taps[middle - 1].begin;
  if (step == 0) return;
  alike_begin = middle;
  while (alike_begin > 0 && alike(taps[alike_begin - 1], taps[alike_begin], step)) --alike_begin;
  alike_end = middle + 1;
  while (alike_end < count && alike(taps[alike_end - 1], taps[alike_end], step)) ++alike_end;
}

HWY_EXPORT(resample_f32);
HWY_EXPORT(resample_backward_f32);

void resample(std::int64_t channels, std::int64_t begin, std::int64_t end, const TapLine& rows,
              const TapLine& columns, const Image<const float>& src, const Image<float>& dst) {
  HWY_DYNAMIC_DISPATCH(resample_f32)(channels, begin, end, rows, columns, src, dst);
}

void resample_backward(std::int64_t channels, const TapLine& rows, const TapLine& columns,
                       const Image<const float>& diff_dst, const Image<float>& diff_src) {
  HWY_DYNAMIC_DISPATCH(resample_backward_f32)(channels, rows, columns, diff_dst, diff_src);
}

}  // namespace backplane::cpu
#endif
