// Loops over a plane whose functions take vectors; included once for each instruction set.
#if defined(BACKPLANE_CPU_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_VECTORS_INL_H
#undef BACKPLANE_CPU_VECTORS_INL_H
#else
#define BACKPLANE_CPU_VECTORS_INL_H
#endif

#include <array>
#include <utility>

#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// So many elements go through a buffer at a time: a multiple of every vector's lanes.
constexpr std::int64_t vector_piece = 256;

// `count` elements of a row side by side: where they lie, or, if they have gaps or don't fill
// vectors, in `buffer`, topped up with zeros.
template <class T>
HWY_INLINE const T* side_by_side(const T* from, std::int64_t stride, std::int64_t count,
                                 std::int64_t padded, T* buffer) {
  if (stride == 1 && count == padded) return from;
  for (std::int64_t i = 0; i < count; ++i) buffer[i] = from[i * stride];
  std::fill(buffer + count, buffer + padded, T{0});
  return buffer;
}

// Elements [first, first + count) of a row, written side by side.
template <class T, class Function, class... Src, std::size_t... operand>
HWY_INLINE void compute_row(const Function& function, std::int64_t row, std::int64_t first,
                            std::int64_t count, T* to, std::index_sequence<operand...>,
                            const Src&... src) {
  const hwy::HWY_NAMESPACE::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hwy::HWY_NAMESPACE::Lanes(d));
  T in[sizeof...(Src)][vector_piece], out[vector_piece];
  for (std::int64_t at = 0; at < count; at += vector_piece) {
    const std::int64_t here = std::min(vector_piece, count - at);
    const std::int64_t padded = (here + lanes - 1) / lanes * lanes;
    const std::array<const T*, sizeof...(Src)> from{
        side_by_side(src.data + row * src.row_stride + (first + at) * src.stride, src.stride, here,
                     padded, in[operand])...};
    T* const result = here == padded ? to + at : out;
    for (std::int64_t i = 0; i < here; i += lanes) {
      const auto value = function(d, hwy::HWY_NAMESPACE::LoadU(d, from[operand] + i)...);
      hwy::HWY_NAMESPACE::StoreU(value, d, result + i);
    }
    if (result == out) std::copy_n(out, here, to + at);
  }
}

// dst = function(d, vectors of src...). The destination may be a source itself.
template <class T, class Function, class... Src>
HWY_INLINE void map_vectors(Plane plane, const Function& function, Strided<T> dst,
                            const Src&... src) {
  constexpr std::make_index_sequence<sizeof...(Src)> operands;
  if (dst.stride == 1) {
    const void* to = dst.data;
    write_rows(plane, dst, ((to == src.data) || ...),
               [&](std::int64_t row, std::int64_t first, std::int64_t count, T* d)
                   HWY_ATTR { compute_row(function, row, first, count, d, operands, src...); });
    return;
  }
  T out[vector_piece];
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    for (std::int64_t first = 0; first < plane.count; first += vector_piece) {
      const std::int64_t here = std::min(vector_piece, plane.count - first);
      compute_row(function, row, first, here, out, operands, src...);
      T* to = dst.data + row * dst.row_stride + first * dst.stride;
      for (std::int64_t i = 0; i < here; ++i) to[i * dst.stride] = out[i];
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
