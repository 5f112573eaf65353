// The activations of unary.h and their gradients; included once for each instruction set.
#if defined(BACKPLANE_CPU_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_ACTIVATION_INL_H
#undef BACKPLANE_CPU_ACTIVATION_INL_H
#else
#define BACKPLANE_CPU_ACTIVATION_INL_H
#endif

#include <numbers>

#include "cpu/math-inl.h"
#include "cpu/unary.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class D, class V>
HWY_INLINE V value_of(LeakyRelu relu, D d, V x) {
  const auto scaled = hn::Mul(constant(d, relu.negative_slope), x);
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, scaled);
}

template <class D, class V>
HWY_INLINE V gradient_of(LeakyRelu relu, D d, V dy, V x) {
  const auto scaled = hn::Mul(constant(d, relu.negative_slope), dy);
  return hn::IfThenElse(hn::Le(x, hn::Zero(d)), scaled, dy);
}

template <class D, class V>
HWY_INLINE V value_of(Elu elu, D d, V x) {
  const auto curve = hn::Mul(constant(d, elu.alpha), expm1_of_negative(d, x));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), curve, x);
}

template <class D, class V>
HWY_INLINE V gradient_of(Elu elu, D d, V dy, V x) {
  const auto curve = hn::Mul(hn::Mul(dy, constant(d, elu.alpha)), exp_of(d, x));
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), dy, curve);
}

// What x is multiplied by, and the derivative of that.
template <class V>
struct Gate {
  V value, slope;
};

// 1 / (1 + e^-x). By e^-|x|, which doesn't overflow: 1 - value is then as exact as the value.
template <class D, class V>
HWY_INLINE Gate<V> logistic_gate(D d, V x) {
  const auto one = constant(d, 1), e = exp_of(d, hn::Neg(hn::Abs(x)));
  const auto large = hn::Div(one, hn::Add(one, e)), small = hn::Mul(e, large);
  return {hn::IfThenElse(hn::Lt(x, hn::Zero(d)), small, large), hn::Mul(large, small)};
}

// A product in which a term that has vanished is absent, even times infinity.
template <class D, class V>
HWY_INLINE V product_of_present(D d, V term, V factor) {
  return hn::IfThenZeroElse(hn::Eq(term, hn::Zero(d)), hn::Mul(term, factor));
}

template <class D, class V>
HWY_INLINE Gate<V> gelu_gate(D d, V x, bool by_tanh) {
  const auto square = hn::Mul(x, x), one = constant(d, 1);
  if (by_tanh) {
    // (1 + tanh(u)) / 2 = logistic(2 u)
    const double twice = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi, cubic = 0.044715;
    const auto inner = hn::Mul(constant(d, twice), x);
    auto gate = logistic_gate(d, hn::Mul(inner, hn::MulAdd(constant(d, cubic), square, one)));
    const auto bend = hn::MulAdd(constant(d, 3 * cubic), square, one);
    gate.slope = product_of_present(d, gate.slope, hn::Mul(constant(d, twice), bend));
    return gate;
  }
  const auto half = constant(d, 0.5);
  const auto density = constant(d, std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  return {hn::Mul(half, erfc_of(d, hn::Mul(x, constant(d, -1 / std::numbers::sqrt2)))),
          hn::Mul(density, exp_of(d, hn::Neg(hn::Mul(half, square))))};
}

template <class D, class V>
HWY_INLINE V gated_gradient(D d, V dy, V x, const Gate<V>& gate) {
  return hn::Mul(dy, hn::Add(gate.value, product_of_present(d, gate.slope, x)));
}

template <class D, class V>
HWY_INLINE V value_of(Sigmoid, D d, V x) {
  return logistic_gate(d, x).value;
}

template <class D, class V>
HWY_INLINE V gradient_of(Sigmoid, D d, V dy, V y) {
  return hn::Mul(hn::Mul(dy, y), hn::Sub(constant(d, 1), y));
}

template <class D, class V>
HWY_INLINE V value_of(Tanh, D d, V x) {
  return tanh_of(d, x);
}

template <class D, class V>
HWY_INLINE V gradient_of(Tanh, D d, V dy, V y) {
  const auto one = constant(d, 1);
  return hn::Mul(hn::Mul(dy, hn::Sub(one, y)), hn::Add(one, y));
}

template <class D, class V>
HWY_INLINE V value_of(Gelu gelu, D d, V x) {
  return hn::Mul(x, gelu_gate(d, x, gelu.by_tanh).value);
}

template <class D, class V>
HWY_INLINE V gradient_of(Gelu gelu, D d, V dy, V x) {
  return gated_gradient(d, dy, x, gelu_gate(d, x, gelu.by_tanh));
}

template <class D, class V>
HWY_INLINE V value_of(Silu, D d, V x) {
  return hn::Mul(x, logistic_gate(d, x).value);
}

template <class D, class V>
HWY_INLINE V gradient_of(Silu, D d, V dy, V x) {
  return gated_gradient(d, dy, x, logistic_gate(d, x));
}

template <class D, class V>
HWY_INLINE V value_of(Softplus softplus, D d, V x) {
  const auto beta = constant(d, softplus.beta), zero = hn::Zero(d), z = hn::Mul(beta, x);
  const auto ramp = hn::IfThenElse(hn::Gt(z, zero), z, zero);
  const auto bend = log1p_of_fraction(d, exp_of(d, hn::Neg(hn::Abs(z))));
  return hn::IfThenElse(hn::Gt(z, constant(d, softplus.threshold)), x,
                        hn::Div(hn::Add(ramp, bend), beta));
}

template <class D, class V>
HWY_INLINE V gradient_of(Softplus softplus, D d, V dy, V x) {
  const auto z = hn::Mul(constant(d, softplus.beta), x);
  return hn::IfThenElse(hn::Gt(z, constant(d, softplus.threshold)), dy,
                        hn::Mul(dy, logistic_gate(d, z).value));
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
