// copy: rows by memcpy, transposed planes in registers, or in tiles that stay in the first-level
// cache.
#include "cpu/copy.h"

#include <algorithm>
#include <cstring>

#include "cpu/transpose.h"

namespace backplane::cpu {
namespace {

// Reads down the columns of the source, writes along the rows of the destination. A tile touches
// `edge` cache lines on each side and uses all of each before it leaves.
template <class T>
void transpose_tiles(Plane plane, Strided<const T> src, Strided<T> dst) {
  constexpr std::int64_t edge = 64 / sizeof(T) < 16 ? 16 : 64 / sizeof(T);
  for (std::int64_t first_row = 0; first_row < plane.rows; first_row += edge) {
    const std::int64_t rows = std::min(edge, plane.rows - first_row);
    for (std::int64_t first = 0; first < plane.count; first += edge) {
      const std::int64_t count = std::min(edge, plane.count - first);
      const T* s = src.data + first_row + first * src.stride;
      T* d = dst.data + first_row * dst.row_stride + first;
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < count; ++i) {
          d[row * dst.row_stride + i] = s[row + i * src.stride];
        }
      }
    }
  }
}

template <class T>
void copy_row(std::int64_t count, const T* src, std::int64_t src_stride, T* dst,
              std::int64_t dst_stride) {
  if (src_stride == 1 && dst_stride == 1) {
    std::memcpy(dst, src, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    for (std::int64_t i = 0; i < count; ++i) dst[i * dst_stride] = src[i * src_stride];
  }
}

}  // namespace

template <class T>
void copy(Plane plane, Strided<const T> src, Strided<T> dst) {
  if (src.row_stride == 1 && src.stride > 1 && dst.stride == 1) {
    if constexpr (sizeof(T) == 4) {
      if (std::min(plane.rows, plane.count) >= 4) {
        transpose({plane.count, plane.rows, src.stride, dst.row_stride}, src.data, dst.data);
        return;
      }
    }
    transpose_tiles(plane, src, dst);
    return;
  }
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    copy_row(plane.count, src.data + row * src.row_stride, src.stride,
             dst.data + row * dst.row_stride, dst.stride);
  }
}

template void copy(Plane, Strided<const std::uint8_t>, Strided<std::uint8_t>);
template void copy(Plane, Strided<const std::uint16_t>, Strided<std::uint16_t>);
template void copy(Plane, Strided<const std::uint32_t>, Strided<std::uint32_t>);
template void copy(Plane, Strided<const std::uint64_t>, Strided<std::uint64_t>);

}  // namespace backplane::cpu
