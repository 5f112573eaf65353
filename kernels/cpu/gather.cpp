// gather: whole rows by memcpy where a row has one index, as the rows of an embedding do.
#include "cpu/gather.h"

#include <algorithm>
#include <cstring>

namespace backplane::cpu {
namespace {

// `count` elements that share one index.
template <class T>
void copy_row(std::int64_t count, const T* src, std::int64_t src_stride, T* dst) {
  if (src_stride == 1) {
    std::memcpy(dst, src, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    for (std::int64_t i = 0; i < count; ++i) dst[i] = src[i * src_stride];
  }
}

}  // namespace

template <class T>
void gather(Plane plane, std::int64_t limit, Strided<const std::int64_t> index,
            Strided<const T> src, std::int64_t src_step, Strided<T> dst) {
  const auto in_range = [limit](std::int64_t at) { return 0 <= at && at < limit; };
  const bool by_row = index.stride == 0 && dst.stride == 1;
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const std::int64_t* at = index.data + row * index.row_stride;
    const T* s = src.data + row * src.row_stride;
    T* d = dst.data + row * dst.row_stride;
    if (by_row && in_range(*at)) {
      copy_row(plane.count, s + *at * src_step, src.stride, d);
      continue;
    }
    for (std::int64_t i = 0; i < plane.count; ++i) {
      const std::int64_t here = at[i * index.stride];
      d[i * dst.stride] = in_range(here) ? s[i * src.stride + here * src_step] : T{0};
    }
  }
}

#define BACKPLANE_ROW(T)                                                                   \
  template void gather(Plane, std::int64_t, Strided<const std::int64_t>, Strided<const T>, \
                       std::int64_t, Strided<T>);
BACKPLANE_ROW(std::uint8_t)
BACKPLANE_ROW(std::uint16_t)
BACKPLANE_ROW(std::uint32_t)
BACKPLANE_ROW(std::uint64_t)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
