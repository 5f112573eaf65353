// Elementary functions of any number: Highway's have ranges, and lose NaN; included once for each
// instruction set.
#if defined(BACKPLANE_CPU_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_MATH_INL_H
#undef BACKPLANE_CPU_MATH_INL_H
#else
#define BACKPLANE_CPU_MATH_INL_H
#endif

#include <cmath>
#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// value, or x where that is NaN.
template <class V>
HWY_INLINE V keep_nan(V x, V value) {
  return hn::IfThenElse(hn::IsNaN(x), x, value);
}

// Beyond the limit the result is infinite, and Highway's exponent wraps.
template <class D, class V>
HWY_INLINE V exp_of(D d, V x) {
  const auto limit = constant(d, sizeof(hn::TFromD<D>) == 4 ? 89 : 710);
  return keep_nan(x, hn::Exp(d, hn::Min(x, limit)));
}

// e^x - 1, for x up to 0.
template <class D, class V>
HWY_INLINE V expm1_of_negative(D d, V x) {
  return keep_nan(x, hn::Expm1(d, hn::Min(x, hn::Zero(d))));
}

template <class D, class V>
HWY_INLINE V log_of(D d, V x) {
  const auto zero = hn::Zero(d);
  const auto infinity = constant(d, std::numeric_limits<double>::infinity());
  const auto below = constant(d, std::numeric_limits<double>::quiet_NaN());
  const auto inside = hn::And(hn::Gt(x, zero), hn::Lt(x, infinity));
  const auto outside =
      hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::IfThenElse(hn::Lt(x, zero), below, x));
  return hn::IfThenElse(inside, hn::Log(d, x), outside);
}

// ln(1 + x), for x from 0 to 1.
template <class D, class V>
HWY_INLINE V log1p_of_fraction(D d, V x) {
  return keep_nan(x, hn::Log1p(d, x));
}

template <class D, class V>
HWY_INLINE V tanh_of(D d, V x) {
  return keep_nan(x, hn::Tanh(d, x));
}

// To 1.2e-7 of itself, and what e^(z^2) adds (Press et al., Numerical Recipes in C, 2nd ed.,
// section 6.2).
template <class D, class V>
HWY_INLINE V erfc_single(D d, V x) {
  const auto z = hn::Abs(x), one = constant(d, 1);
  const auto t = hn::Div(one, hn::MulAdd(z, constant(d, 0.5), one));
  auto sum = constant(d, 0.17087277);
  for (const double next : {-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806,
                            0.09678418, 0.37409196, 1.00002368, -1.26551223}) {
    sum = hn::MulAdd(sum, t, constant(d, next));
  }
  const auto tail = hn::Mul(t, exp_of(d, hn::NegMulAdd(z, z, sum)));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(constant(d, 2), tail), tail);
}

// Doubles go one by one through the C library: no short formula has their digits.
template <class D, class V>
HWY_INLINE V erfc_of(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return erfc_single(d, x);
  } else {
    HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(d)];
    hn::Store(x, d, lanes);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = std::erfc(lanes[i]);
    return hn::Load(d, lanes);
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
