// mul of two tensors.
#include "cpu/mul.h"

#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/mul.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

struct Mul {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else {  // unsigned, as signed overflow has no meaning in C++
      return static_cast<T>(std::uint64_t(a) * std::uint64_t(b));
    }
  }
};

#define BACKPLANE_ROW(T, suffix)                                                           \
  void mul_##suffix(Plane plane, Strided<const T> a, Strided<const T> b, Strided<T> dst) { \
    map(plane, Mul(), dst, a, b);                                                          \
  }
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(T, suffix)                                                  \
  HWY_EXPORT(mul_##suffix);                                                       \
  template <>                                                                     \
  void mul(Plane plane, Strided<const T> a, Strided<const T> b, Strided<T> dst) { \
    HWY_DYNAMIC_DISPATCH(mul_##suffix)(plane, a, b, dst);                         \
  }
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
