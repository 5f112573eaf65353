// scatter_add: whole rows at once where a row has one index, as the rows of an embedding do.
#include "cpu/scatter_add.h"

#include <type_traits>

#include "cpu/types.h"

namespace backplane::cpu {
namespace {

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {  // unsigned, as signed overflow has no meaning in C++
    return static_cast<T>(std::uint64_t(a) + std::uint64_t(b));
  }
}

// dst += src.
template <class T>
void add_row(std::int64_t count, const T* src, std::int64_t src_stride, T* dst,
             std::int64_t dst_stride) {
  if (src_stride == 1 && dst_stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) dst[i] = plus(dst[i], src[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      dst[i * dst_stride] = plus(dst[i * dst_stride], src[i * src_stride]);
    }
  }
}

}  // namespace

template <class T>
void scatter_add(Plane plane, std::int64_t terms, std::int64_t limit,
                 Along<const std::int64_t> index, Along<const T> src, Along<T> dst) {
  const auto in_range = [limit](std::int64_t at) { return 0 <= at && at < limit; };
  const std::int64_t stride = dst.plane.stride, src_stride = src.plane.stride;
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const T* s = src.plane.data + row * src.plane.row_stride;
    T* d = dst.plane.data + row * dst.plane.row_stride;
    for (std::int64_t i = 0; i < terms; ++i, s += src.step) {
      const std::int64_t* at = index.plane.data + row * index.plane.row_stride + i * index.step;
      if (index.plane.stride == 0) {
        if (in_range(*at)) add_row(plane.count, s, src_stride, d + *at * dst.step, stride);
        continue;
      }
      for (std::int64_t c = 0; c < plane.count; ++c) {
        const std::int64_t here = at[c * index.plane.stride];
        if (!in_range(here)) continue;
        T& to = d[c * stride + here * dst.step];
        to = plus(to, s[c * src_stride]);
      }
    }
  }
}

#define BACKPLANE_ROW(T, suffix)                                                          \
  template void scatter_add(Plane, std::int64_t, std::int64_t, Along<const std::int64_t>, \
                            Along<const T>, Along<T>);
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
