// Loops over a plane that a compiler turns into vectors; included once for each instruction set.
#if defined(BACKPLANE_CPU_PLANE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_PLANE_INL_H
#undef BACKPLANE_CPU_PLANE_INL_H
#else
#define BACKPLANE_CPU_PLANE_INL_H
#endif

#include <algorithm>
#include <type_traits>

#include "cpu/plane.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <std::int64_t stride>
using Stride = std::integral_constant<std::int64_t, stride>;

// Writes a row of `count` elements: compute(first, count, to) gives some of them. Around the caches
// it is done in pieces that stay in the first-level cache, from where they are streamed. `compute` is
// inlined, so there is one call of it: more would be as many loops for the compiler to make vectors of.
template <class T, class Compute>
HWY_INLINE void write_row(std::int64_t count, T* dst, bool around_caches, const Compute& compute) {
  constexpr std::int64_t line = 64, piece = 4096 / sizeof(T);
  const hwy::HWY_NAMESPACE::ScalableTag<std::uint8_t> d;
  alignas(line) T staged[piece];
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(dst) % line);
  const std::int64_t head =
      misaligned == 0 ? 0 : (line - misaligned) / static_cast<std::int64_t>(sizeof(T));
  std::int64_t here = 0;
  for (std::int64_t i = 0; i < count; i += here) {
    const std::int64_t most = !around_caches ? count : i == 0 && head > 0 ? head : piece;
    here = std::min(most, count - i);
    const bool streams = around_caches && here == piece;
    compute(i, here, streams ? staged : dst + i);
    if (!streams) continue;
    const auto* from = reinterpret_cast<const std::uint8_t*>(staged);
    auto* to = reinterpret_cast<std::uint8_t*>(dst + i);
    for (std::size_t byte = 0; byte < sizeof staged; byte += hwy::HWY_NAMESPACE::Lanes(d)) {
      hwy::HWY_NAMESPACE::Stream(hwy::HWY_NAMESPACE::Load(d, from + byte), d, to + byte);
    }
  }
}

// Rows without gaps: compute(row, first, count, dst) gives elements [first, first + count) of one.
template <class T, class Compute>
HWY_INLINE void write_rows(Plane plane, Strided<T> dst, bool in_place, const Compute& compute) {
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    write_row(plane.count, dst.data + row * dst.row_stride, plane.bypasses_cache && !in_place,
              [&](std::int64_t first, std::int64_t count, T* to) HWY_ATTR {
                compute(row, first, count, to);
              });
  }
  if (plane.bypasses_cache) hwy::FlushStream();
}

// dst = op(a). The destination may be the source itself, element by element; hence ivdep.
template <class Op, class Dst, class A>
HWY_INLINE void map(Plane plane, Op op, Strided<Dst> dst, Strided<A> a) {
  const bool in_place = static_cast<const void*>(dst.data) == a.data;
  if (dst.stride == 1 && a.stride == 1) {
    write_rows(plane, dst, in_place,
               [&](std::int64_t row, std::int64_t first, std::int64_t count, Dst* d) HWY_ATTR {
                 A* pa = a.data + row * a.row_stride + first;
#pragma GCC ivdep
                 for (std::int64_t i = 0; i < count; ++i) d[i] = op(pa[i]);
               });
    return;
  }
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    Dst* d = dst.data + row * dst.row_stride;
    A* pa = a.data + row * a.row_stride;
    for (std::int64_t i = 0; i < plane.count; ++i) d[i * dst.stride] = op(pa[i * a.stride]);
  }
}

// dst = op(a, b), where a and b are dense or repeat one element, and so the compiler should know.
template <class Op, class Dst, class A, class B, class StrideA, class StrideB>
HWY_INLINE void map_dense(Plane plane, Op op, Strided<Dst> dst, Strided<A> a, StrideA a_stride,
                          Strided<B> b, StrideB b_stride) {
  const void* to = dst.data;
  write_rows(plane, dst, to == a.data || to == b.data,
             [&](std::int64_t row, std::int64_t first, std::int64_t count, Dst* d) HWY_ATTR {
               A* pa = a.data + row * a.row_stride + first * a_stride;
               B* pb = b.data + row * b.row_stride + first * b_stride;
#pragma GCC ivdep
               for (std::int64_t i = 0; i < count; ++i)
                 d[i] = op(pa[i * a_stride], pb[i * b_stride]);
             });
}

template <class Op, class Dst, class A, class B>
HWY_INLINE void map(Plane plane, Op op, Strided<Dst> dst, Strided<A> a, Strided<B> b) {
  const bool dense = dst.stride == 1;
  if (dense && a.stride == 1 && b.stride == 1) {
    map_dense(plane, op, dst, a, Stride<1>(), b, Stride<1>());
  } else if (dense && a.stride == 1 && b.stride == 0) {
    map_dense(plane, op, dst, a, Stride<1>(), b, Stride<0>());
  } else if (dense && a.stride == 0 && b.stride == 1) {
    map_dense(plane, op, dst, a, Stride<0>(), b, Stride<1>());
  } else {
    for (std::int64_t row = 0; row < plane.rows; ++row) {
      Dst* d = dst.data + row * dst.row_stride;
      A* pa = a.data + row * a.row_stride;
      B* pb = b.data + row * b.row_stride;
      for (std::int64_t i = 0; i < plane.count; ++i) {
        d[i * dst.stride] = op(pa[i * a.stride], pb[i * b.stride]);
      }
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
