// Functions of one element and their gradients, for each type.
#include "cpu/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/unary.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/activation-inl.h"
#include "cpu/unary-inl.h"
#include "cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// In the form in which map_vectors calls them.
template <class Function>
struct Value {
  Function function;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return value_of(function, d, x);
  }
};

template <class Function>
struct Gradient {
  Function function;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, V saved) const {
    return gradient_of(function, d, dy, saved);
  }
};

#define BACKPLANE_VALUE(Function, T, suffix)                                                  \
  void map_##Function##_##suffix(const Function& function, Plane plane, Strided<const T> src, \
                                 Strided<T> dst) {                                            \
    map_vectors(plane, Value<Function>{function}, dst, src);                                  \
  }
#define BACKPLANE_GRADIENT(Function, T, suffix)                                          \
  void gradient_##Function##_##suffix(const Function& function, Plane plane,             \
                                      Strided<const T> diff_dst, Strided<const T> saved, \
                                      Strided<T> diff_src) {                             \
    map_vectors(plane, Gradient<Function>{function}, diff_src, diff_dst, saved);         \
  }
#define BACKPLANE_ROW(Function) \
  BACKPLANE_VALUE(Function, float, f32) BACKPLANE_VALUE(Function, double, f64)
BACKPLANE_CPU_FUNCTIONS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
#define BACKPLANE_ROW(Function) \
  BACKPLANE_GRADIENT(Function, float, f32) BACKPLANE_GRADIENT(Function, double, f64)
BACKPLANE_CPU_GRADIENTS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
#undef BACKPLANE_VALUE
#undef BACKPLANE_GRADIENT

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_VALUE(Function, T, suffix)                                              \
  HWY_EXPORT(map_##Function##_##suffix);                                                  \
  template <>                                                                             \
  void map(const Function& function, Plane plane, Strided<const T> src, Strided<T> dst) { \
    HWY_DYNAMIC_DISPATCH(map_##Function##_##suffix)(function, plane, src, dst);           \
  }
#define BACKPLANE_GRADIENT(Function, T, suffix)                                       \
  HWY_EXPORT(gradient_##Function##_##suffix);                                         \
  template <>                                                                         \
  void map_gradient(const Function& function, Plane plane, Strided<const T> diff_dst, \
                    Strided<const T> saved, Strided<T> diff_src) {                    \
    HWY_DYNAMIC_DISPATCH(gradient_##Function##_##suffix)                              \
    (function, plane, diff_dst, saved, diff_src);                                     \
  }
#define BACKPLANE_ROW(Function) \
  BACKPLANE_VALUE(Function, float, f32) BACKPLANE_VALUE(Function, double, f64)
BACKPLANE_CPU_FUNCTIONS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
#define BACKPLANE_ROW(Function) \
  BACKPLANE_GRADIENT(Function, float, f32) BACKPLANE_GRADIENT(Function, double, f64)
BACKPLANE_CPU_GRADIENTS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
#undef BACKPLANE_VALUE
#undef BACKPLANE_GRADIENT

}  // namespace backplane::cpu
#endif
