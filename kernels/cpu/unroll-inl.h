// Loops that are unrolled by the type system, so that arrays of vectors stay in registers.
#if defined(BACKPLANE_CPU_UNROLL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_UNROLL_INL_H
#undef BACKPLANE_CPU_UNROLL_INL_H
#else
#define BACKPLANE_CPU_UNROLL_INL_H
#endif

#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class Body, int... i>
HWY_INLINE void unroll(std::integer_sequence<int, i...>, const Body& body) {
  (body(std::integral_constant<int, i>()), ...);
}
// body(0), ..., body(count - 1), each a constant.
template <int count, class Body>
HWY_INLINE void unroll(const Body& body) {
  unroll(std::make_integer_sequence<int, count>(), body);
}

// Vector registers of the instruction set.
#if HWY_CAP_GE512 || HWY_TARGET == HWY_NEON
constexpr int vector_registers = 32;
#else
constexpr int vector_registers = 16;
#endif

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
