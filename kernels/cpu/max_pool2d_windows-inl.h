// Where the windows of a max-pool lie; included once for each instruction set.
#if defined(BACKPLANE_CPU_MAX_POOL2D_WINDOWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_MAX_POOL2D_WINDOWS_INL_H
#undef BACKPLANE_CPU_MAX_POOL2D_WINDOWS_INL_H
#else
#define BACKPLANE_CPU_MAX_POOL2D_WINDOWS_INL_H
#endif

#include <algorithm>

#include "cpu/image-inl.h"
#include "cpu/max_pool2d.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// The part of a window along one axis that isn't padding: taps [begin, end), the first of which
// lies at `origin`.
struct Taps {
  std::int64_t begin, end, origin;
};

// The windows along one axis. Those in [whole_begin, whole_end) have all of their taps, which saves
// them the divisions that the edges need.
struct Axis {
  Axis(const PoolWindow& window, int axis, std::int64_t src_size, std::int64_t dst_size)
      : kernel(window.kernel[axis]),
        stride(window.stride[axis]),
        padding(window.padding[axis]),
        dilation(window.dilation[axis]),
        size(src_size) {
    const std::int64_t room = size + padding - dilation * (kernel - 1) - 1;
    whole_begin = (padding + stride - 1) / stride;
    whole_end = room < 0 ? 0 : std::min(dst_size, room / stride + 1);
  }

  [[nodiscard]] HWY_INLINE Taps taps_at(std::int64_t position) const {
    const std::int64_t first = position * stride - padding;
    if (whole_begin <= position && position < whole_end) return {0, kernel, first};
    const std::int64_t begin = first < 0 ? (-first + dilation - 1) / dilation : 0;
    const std::int64_t room = size - first;
    const std::int64_t end = room <= 0 ? 0 : std::min(kernel, (room + dilation - 1) / dilation);
    return {begin, std::max(begin, end), first + begin * dilation};
  }

  std::int64_t kernel, stride, padding, dilation, size;
  std::int64_t whole_begin, whole_end;
};

// Calls visit(offset of a tap from the first one, its number in the window).
struct Window {
  template <class Visit>
  HWY_INLINE void for_each_tap(const Visit& visit) const {
    // The usual window, without loops: 15 % of the time of a pixel.
    if (rows.end - rows.begin == 2 && columns.end - columns.begin == 2) {
      const auto first = static_cast<std::int32_t>(rows.begin * kernel_columns + columns.begin);
      const auto below = first + static_cast<std::int32_t>(kernel_columns);
      visit(std::int64_t{0}, first);
      visit(column_step, first + 1);
      visit(row_step, below);
      visit(row_step + column_step, below + 1);
      return;
    }
    std::int64_t row_offset = 0;
    for (std::int64_t row = rows.begin; row < rows.end; ++row, row_offset += row_step) {
      std::int64_t offset = row_offset;
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        visit(offset, static_cast<std::int32_t>(row * kernel_columns + column));
        offset += column_step;
      }
    }
  }
  [[nodiscard]] HWY_INLINE bool empty() const {
    return rows.begin == rows.end || columns.begin == columns.end;
  }

  Taps rows, columns;
  std::int64_t row_step, column_step, kernel_columns;
};

// Where the windows of one image lie in the source.
template <class T>
struct Windows {
  Windows(const PoolWindow& window, const Image<T>& source, std::int64_t height, std::int64_t width)
      : src(source), rows(window, 0, src.height, height), columns(window, 1, src.width, width) {}

  [[nodiscard]] HWY_INLINE Window at(std::int64_t row, std::int64_t column) const {
    return {rows.taps_at(row), columns.taps_at(column), rows.dilation * src.row_stride,
            columns.dilation * src.column_stride, columns.kernel};
  }
  // The first element that isn't padding.
  [[nodiscard]] HWY_INLINE T* first_of(const Window& window) const {
    return src.data + window.rows.origin * src.row_stride +
           window.columns.origin * src.column_stride;
  }

  Image<T> src;
  Axis rows, columns;
};

// Pairs of neighbours: every element of a row is in one window.
template <class T>
HWY_INLINE bool are_pairs(const Windows<T>& windows) {
  const Axis& columns = windows.columns;
  return columns.kernel == 2 && columns.stride == 2 && columns.dilation == 1 &&
         windows.src.column_stride == 1;
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
