// affine: one scale and one shift for every element.
#include "cpu/affine.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cpu/convert-inl.h"
#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/affine.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

struct Affine {
  double scale, shift;
  template <class T>
  HWY_INLINE T operator()(T x) const {
    return convert_element<T>(std::fma(scale, static_cast<double>(x), shift));
  }
};

// Of integers, with whole numbers: exact, and it wraps.
struct WholeAffine {
  std::uint64_t scale, shift;
  template <class T>
  HWY_INLINE T operator()(T x) const {
    return static_cast<T>(scale * static_cast<std::uint64_t>(x) + shift);
  }
};

// Whether int64 holds it.
HWY_INLINE bool is_whole(double x) {
  return std::trunc(x) == x && -0x1p63 <= x && x < 0x1p63;
}

template <class T>
HWY_INLINE void affine_plane(Plane plane, double scale, double shift, Strided<const T> src,
                             Strided<T> dst) {
  if constexpr (std::is_integral_v<T>) {
    if (is_whole(scale) && is_whole(shift)) {
      const auto factor = static_cast<std::int64_t>(scale);
      const auto summand = static_cast<std::int64_t>(shift);
      map(plane,
          WholeAffine{static_cast<std::uint64_t>(factor), static_cast<std::uint64_t>(summand)}, dst,
          src);
      return;
    }
  }
  map(plane, Affine{scale, shift}, dst, src);
}

#define BACKPLANE_ROW(T, suffix)                                                      \
  void affine_##suffix(Plane plane, double scale, double shift, Strided<const T> src, \
                       Strided<T> dst) {                                              \
    affine_plane(plane, scale, shift, src, dst);                                      \
  }
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(T, suffix)                                                               \
  HWY_EXPORT(affine_##suffix);                                                                 \
  template <>                                                                                  \
  void affine(Plane plane, double scale, double shift, Strided<const T> src, Strided<T> dst) { \
    HWY_DYNAMIC_DISPATCH(affine_##suffix)(plane, scale, shift, src, dst);                      \
  }
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
