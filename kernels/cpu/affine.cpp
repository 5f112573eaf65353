// affine: one scale and one shift for every element.
#include "cpu/affine.h"

#include <cmath>

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
    return static_cast<T>(std::fma(scale, static_cast<double>(x), shift));
  }
};

#define BACKPLANE_ROW(T, suffix)                                                      \
  void affine_##suffix(Plane plane, double scale, double shift, Strided<const T> src, \
                       Strided<T> dst) {                                              \
    map(plane, Affine{scale, shift}, dst, src);                                       \
  }
BACKPLANE_CPU_FLOATS(BACKPLANE_ROW)
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
BACKPLANE_CPU_FLOATS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
