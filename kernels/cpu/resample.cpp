// resample and its backward operation: vectors of channels, or sums along rows.
#include "cpu/resample.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/resample.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class T>
HWY_INLINE T* pixel(const Image<T>& image, std::int64_t row, std::int64_t column) {
  return image.data + row * image.row_stride + column * image.column_stride;
}

// Calls visit(row of src, column of src, weight) for all taps of an output.
template <class Visit>
HWY_INLINE void for_each_tap(const Taps& rows, const Taps& columns, const Visit& visit) {
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const float row_weight = i == 0 ? rows.first : rows.other;
    for (std::int64_t k = 0; k < columns.count; ++k) {
      const float weight = row_weight * (k == 0 ? columns.first : columns.other);
      visit(rows.begin + i, columns.begin + k, weight);
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

// One channel: long rows of equal weights, as global pooling has them, are summed in vectors.
HWY_INLINE float resample_one(const Taps& rows, const Taps& columns,
                              const Image<const float>& src) {
  constexpr std::int64_t long_row = 16;
  float total = 0;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const float* from = pixel(src, rows.begin + i, columns.begin);
    float sum = 0;
    if (src.column_stride == 1 && columns.count >= long_row) {
      const auto elements = [&](std::int64_t k, std::int64_t left)
                                HWY_ATTR { return load(from + k, left, 0); };
      sum = static_cast<float>(sum_of(columns.count, elements)) * columns.other;
    } else {
      for (std::int64_t k = 0; k < columns.count; ++k) {
        sum += from[k * src.column_stride] * (k == 0 ? columns.first : columns.other);
      }
    }
    total += sum * (i == 0 ? rows.first : rows.other);
  }
  return total;
}

void resample_f32(std::int64_t channels, std::int64_t begin, std::int64_t end, const Taps* rows,
                  const Taps* columns, const Image<const float>& src, const Image<float>& dst) {
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t column = 0; column < dst.width; ++column) {
      float* to = pixel(dst, row, column);
      if (channels == 1) {
        *to = resample_one(rows[row], columns[column], src);
      } else {
        resample_pixel(channels, rows[row], columns[column], src, to);
      }
    }
  }
}

void resample_backward_f32(std::int64_t channels, const Taps* rows, const Taps* columns,
                           const Image<const float>& diff_dst, const Image<float>& diff_src) {
  for (std::int64_t row = 0; row < diff_src.height; ++row) {
    for (std::int64_t column = 0; column < diff_src.width; ++column) {
      std::fill_n(pixel(diff_src, row, column), channels, 0.0f);
    }
  }
  for (std::int64_t row = 0; row < diff_dst.height; ++row) {
    for (std::int64_t column = 0; column < diff_dst.width; ++column) {
      const float* HWY_RESTRICT from = pixel(diff_dst, row, column);
      for_each_tap(rows[row], columns[column],
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

HWY_EXPORT(resample_f32);
HWY_EXPORT(resample_backward_f32);

void resample(std::int64_t channels, std::int64_t begin, std::int64_t end, const Taps* rows,
              const Taps* columns, const Image<const float>& src, const Image<float>& dst) {
  HWY_DYNAMIC_DISPATCH(resample_f32)(channels, begin, end, rows, columns, src, dst);
}

void resample_backward(std::int64_t channels, const Taps* rows, const Taps* columns,
                       const Image<const float>& diff_dst, const Image<float>& diff_src) {
  HWY_DYNAMIC_DISPATCH(resample_backward_f32)(channels, rows, columns, diff_dst, diff_src);
}

}  // namespace backplane::cpu
#endif
