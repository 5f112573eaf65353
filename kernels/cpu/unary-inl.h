// What the functions of unary.h are, but for the activations; included once for each instruction
// set.
#if defined(BACKPLANE_CPU_UNARY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_UNARY_INL_H
#undef BACKPLANE_CPU_UNARY_INL_H
#else
#define BACKPLANE_CPU_UNARY_INL_H
#endif

#include "cpu/math-inl.h"
#include "cpu/unary.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class D, class V>
HWY_INLINE V value_of(Neg, D, V x) {
  return hn::Neg(x);
}

template <class D, class V>
HWY_INLINE V value_of(Abs, D, V x) {
  return hn::Abs(x);
}

// +0 where x is 0 of either sign, NaN where it is NaN.
template <class D, class V>
HWY_INLINE V nonzero_or(D d, V x, V otherwise) {
  return hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), keep_nan(x, otherwise));
}

template <class D, class V>
HWY_INLINE V gradient_of(Abs, D d, V dy, V x) {
  return nonzero_or(d, x, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(dy), dy));
}

template <class D, class V>
HWY_INLINE V value_of(Sign, D d, V x) {
  return nonzero_or(d, x, hn::CopySign(constant(d, 1), x));
}

template <class D, class V>
HWY_INLINE V value_of(Exp, D d, V x) {
  return exp_of(d, x);
}

template <class D, class V>
HWY_INLINE V value_of(Log, D d, V x) {
  return log_of(d, x);
}

template <class D, class V>
HWY_INLINE V value_of(Sqrt, D, V x) {
  return hn::Sqrt(x);
}

template <class D, class V>
HWY_INLINE V value_of(Rsqrt, D d, V x) {
  return hn::Div(constant(d, 1), hn::Sqrt(x));
}

template <class D, class V>
HWY_INLINE V value_of(Square, D, V x) {
  return hn::Mul(x, x);
}

template <class D, class V>
HWY_INLINE V value_of(Reciprocal, D d, V x) {
  return hn::Div(constant(d, 1), x);
}

template <class D, class V>
HWY_INLINE V value_of(Clamp clamp, D d, V x) {
  const auto min = constant(d, clamp.min), max = constant(d, clamp.max);
  const auto raised = hn::IfThenElse(hn::Lt(x, min), min, x);
  return hn::IfThenElse(hn::Gt(raised, max), max, raised);
}

template <class D, class V>
HWY_INLINE V gradient_of(Clamp clamp, D d, V dy, V x) {
  const auto below = hn::Lt(x, constant(d, clamp.min)), above = hn::Gt(x, constant(d, clamp.max));
  return hn::IfThenZeroElse(hn::Or(below, above), dy);
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
