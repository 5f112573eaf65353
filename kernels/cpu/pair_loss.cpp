// Losses of pairs of elements: their values, sums and gradients, in vectors.
#include "cpu/pair_loss.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pair_loss.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/activation-inl.h"
#include "cpu/unary-inl.h"
#include "cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class D, class V>
HWY_INLINE V loss_of(Mse, D, V x, V target) {
  const auto difference = hn::Sub(x, target);
  return hn::Mul(difference, difference);
}

template <class D, class V>
HWY_INLINE V slope_of(Mse, D d, V x, V target) {
  return hn::Mul(constant(d, 2), hn::Sub(x, target));
}

template <class D, class V>
HWY_INLINE V loss_of(L1, D, V x, V target) {
  return hn::Abs(hn::Sub(x, target));
}

template <class D, class V>
HWY_INLINE V slope_of(L1, D d, V x, V target) {
  return value_of(Sign{}, d, hn::Sub(x, target));
}

template <class D, class V>
HWY_INLINE V loss_of(Huber huber, D d, V x, V target) {
  const auto distance = hn::Abs(hn::Sub(x, target)), delta = constant(d, huber.delta);
  const auto half = constant(d, 0.5);
  const auto bowl = hn::Mul(hn::Mul(half, distance), distance);
  const auto ramp = hn::Mul(delta, hn::Sub(distance, hn::Mul(half, delta)));
  return hn::IfThenElse(hn::Le(distance, delta), bowl, ramp);
}

template <class D, class V>
HWY_INLINE V slope_of(Huber huber, D d, V x, V target) {
  return value_of(Clamp{-huber.delta, huber.delta}, d, hn::Sub(x, target));
}

template <class D, class V>
HWY_INLINE V loss_of(BceWithLogits, D d, V x, V target) {
  const auto zero = hn::Zero(d);
  const auto ramp = hn::IfThenElse(hn::Lt(x, zero), zero, x);
  const auto bend = log1p_of_fraction(d, exp_of(d, hn::Neg(hn::Abs(x))));
  return hn::Add(hn::NegMulAdd(x, target, ramp), bend);
}

template <class D, class V>
HWY_INLINE V slope_of(BceWithLogits, D d, V x, V target) {
  return hn::Sub(value_of(Sigmoid{}, d, x), target);
}

template <class D, class V>
HWY_INLINE V loss_of(KlDiv divergence, D d, V x, V target) {
  if (divergence.log_target) return hn::Mul(exp_of(d, target), hn::Sub(target, x));
  const auto log_target = hn::IfThenZeroElse(hn::Eq(target, hn::Zero(d)), log_of(d, target));
  return hn::Mul(target, hn::Sub(log_target, x));
}

template <class D, class V>
HWY_INLINE V slope_of(KlDiv divergence, D d, V, V target) {
  return hn::Neg(divergence.log_target ? exp_of(d, target) : target);
}

// In the forms in which map_vectors calls them.
template <class Loss>
struct LossOf {
  Loss loss;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V target) const {
    return loss_of(loss, d, x, target);
  }
};

template <class Loss>
struct GradientOf {
  Loss loss;
  float divisor;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, V x, V target) const {
    return hn::Mul(slope_of(loss, d, x, target), hn::Div(dy, hn::Set(d, divisor)));
  }
};

// Sixteen sums side by side, in the same order on every instruction set.
template <class Loss>
HWY_INLINE double sum_of(const Loss& loss, Plane plane, Strided<const float> src,
                         Strided<const float> target) {
  constexpr std::int64_t lanes = 16;
  double sums[lanes] = {};
  float piece[vector_piece];
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    for (std::int64_t first = 0; first < plane.count; first += vector_piece) {
      const std::int64_t here = std::min(vector_piece, plane.count - first);
      compute_row(LossOf<Loss>{loss}, row, first, here, piece, std::make_index_sequence<2>(), src,
                  target);
      for (std::int64_t i = 0; i < here; ++i) sums[i % lanes] += static_cast<double>(piece[i]);
    }
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

#define BACKPLANE_ROW(Loss)                                                               \
  void pair_loss_##Loss(const Loss& loss, Plane plane, Strided<const float> src,          \
                        Strided<const float> target, Strided<float> dst) {                \
    map_vectors(plane, LossOf<Loss>{loss}, dst, src, target);                             \
  }                                                                                       \
  double pair_loss_sum_##Loss(const Loss& loss, Plane plane, Strided<const float> src,    \
                              Strided<const float> target) {                              \
    return sum_of(loss, plane, src, target);                                              \
  }                                                                                       \
  void pair_loss_backward_##Loss(const Loss& loss, Plane plane, float divisor,            \
                                 Strided<const float> diff_dst, Strided<const float> src, \
                                 Strided<const float> target, Strided<float> diff_src) {  \
    map_vectors(plane, GradientOf<Loss>{loss, divisor}, diff_src, diff_dst, src, target); \
  }
BACKPLANE_CPU_PAIR_LOSSES(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(Loss)                                                        \
  HWY_EXPORT(pair_loss_##Loss);                                                    \
  template <>                                                                      \
  void pair_loss(const Loss& loss, Plane plane, Strided<const float> src,          \
                 Strided<const float> target, Strided<float> dst) {                \
    HWY_DYNAMIC_DISPATCH(pair_loss_##Loss)(loss, plane, src, target, dst);         \
  }                                                                                \
  HWY_EXPORT(pair_loss_sum_##Loss);                                                \
  template <>                                                                      \
  double pair_loss_sum(const Loss& loss, Plane plane, Strided<const float> src,    \
                       Strided<const float> target) {                              \
    return HWY_DYNAMIC_DISPATCH(pair_loss_sum_##Loss)(loss, plane, src, target);   \
  }                                                                                \
  HWY_EXPORT(pair_loss_backward_##Loss);                                           \
  template <>                                                                      \
  void pair_loss_backward(const Loss& loss, Plane plane, float divisor,            \
                          Strided<const float> diff_dst, Strided<const float> src, \
                          Strided<const float> target, Strided<float> diff_src) {  \
    HWY_DYNAMIC_DISPATCH(pair_loss_backward_##Loss)                                \
    (loss, plane, divisor, diff_dst, src, target, diff_src);                       \
  }
BACKPLANE_CPU_PAIR_LOSSES(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
