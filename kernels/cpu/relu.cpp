// relu and its backward operation.
#include "cpu/relu.h"

#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/relu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Compared with <=, a NaN goes the way of the positive numbers.
struct Relu {
  template <class T>
  HWY_INLINE T operator()(T x) const {
    return x <= T{0} ? T{0} : x;
  }
};

struct ReluBackward {
  template <class T>
  HWY_INLINE T operator()(T diff_dst, T dst) const {
    return dst <= T{0} ? T{0} : diff_dst;
  }
};

#define BACKPLANE_ROW(T, suffix)                                                            \
  void relu_##suffix(Plane plane, Strided<const T> src, Strided<T> dst) {                   \
    map(plane, Relu(), dst, src);                                                           \
  }                                                                                         \
  void relu_backward_##suffix(Plane plane, Strided<const T> diff_dst, Strided<const T> dst, \
                              Strided<T> diff_src) {                                        \
    map(plane, ReluBackward(), diff_src, diff_dst, dst);                                    \
  }
BACKPLANE_CPU_FLOATS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(T, suffix)                                                   \
  HWY_EXPORT(relu_##suffix);                                                       \
  HWY_EXPORT(relu_backward_##suffix);                                              \
  template <>                                                                      \
  void relu(Plane plane, Strided<const T> src, Strided<T> dst) {                   \
    HWY_DYNAMIC_DISPATCH(relu_##suffix)(plane, src, dst);                          \
  }                                                                                \
  template <>                                                                      \
  void relu_backward(Plane plane, Strided<const T> diff_dst, Strided<const T> dst, \
                     Strided<T> diff_src) {                                        \
    HWY_DYNAMIC_DISPATCH(relu_backward_##suffix)(plane, diff_dst, dst, diff_src);  \
  }
BACKPLANE_CPU_FLOATS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
