// Arithmetic on two operands, for each type.
#include "cpu/arithmetic.h"

#include <cmath>

#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/arithmetic.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// What integers are computed in: unsigned, as signed overflow has no meaning in C++.
template <class T>
using Wrapping = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;

template <class T>
HWY_INLINE T value_of(Add, T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
HWY_INLINE T value_of(Sub, T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
HWY_INLINE T value_of(Mul, T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <class T>
HWY_INLINE T value_of(Maximum, T a, T b) {
  return a >= b || a != a ? a : b;
}
template <class T>
HWY_INLINE T value_of(Minimum, T a, T b) {
  return a <= b || a != a ? a : b;
}
template <class T>
HWY_INLINE T value_of(Div, T a, T b) {
  return a / b;
}
// One by one through the C library, which has all of IEEE 754's special cases.
template <class T>
HWY_INLINE T value_of(Pow, T a, T b) {
  return std::pow(a, b);
}

template <class Function>
struct Value {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    return value_of(Function(), a, b);
  }
};

#define BACKPLANE_PAIR(Function, T, suffix)                                           \
  void map_##Function##_##suffix(Plane plane, Strided<const T> a, Strided<const T> b, \
                                 Strided<T> dst) {                                    \
    map(plane, Value<Function>(), dst, a, b);                                         \
  }
#define BACKPLANE_FLOATS(Function) \
  BACKPLANE_PAIR(Function, float, f32) BACKPLANE_PAIR(Function, double, f64)
#define BACKPLANE_NUMBERS(Function)                                                       \
  BACKPLANE_FLOATS(Function)                                                              \
  BACKPLANE_PAIR(Function, std::int8_t, i8)                                               \
  BACKPLANE_PAIR(Function, std::uint8_t, u8) BACKPLANE_PAIR(Function, std::uint16_t, u16) \
      BACKPLANE_PAIR(Function, std::int32_t, i32) BACKPLANE_PAIR(Function, std::int64_t, i64)
BACKPLANE_CPU_NUMBER_PAIRS(BACKPLANE_NUMBERS)
BACKPLANE_CPU_FLOAT_PAIRS(BACKPLANE_FLOATS)
#undef BACKPLANE_PAIR

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_PAIR(Function, T, suffix)                                                        \
  HWY_EXPORT(map_##Function##_##suffix);                                                           \
  template <>                                                                                      \
  void map(const Function&, Plane plane, Strided<const T> a, Strided<const T> b, Strided<T> dst) { \
    HWY_DYNAMIC_DISPATCH(map_##Function##_##suffix)(plane, a, b, dst);                             \
  }
BACKPLANE_CPU_NUMBER_PAIRS(BACKPLANE_NUMBERS)
BACKPLANE_CPU_FLOAT_PAIRS(BACKPLANE_FLOATS)

}  // namespace backplane::cpu
#endif
#undef BACKPLANE_PAIR
#undef BACKPLANE_FLOATS
#undef BACKPLANE_NUMBERS
