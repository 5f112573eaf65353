// Losses of pairs of elements: mse_loss, l1_loss, huber_loss, smooth_l1_loss, bce_with_logits,
// kl_div.
#include <cmath>
#include <limits>

#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::describe;
using detail::reject;
using detail::SavedTensor;

namespace {

void check_pair(const char* name, const Tensor& x, const Tensor& target) {
  detail::check_same_type(name, x, target);
  detail::check_floating(name, x);
  if (x.shape() != target.shape()) {
    reject("{}: input and target must have one shape, got {} and {}", name, describe(x),
           describe(target));
  }
}

// A loss of the difference of x and target, whose gradient by target is that by x, negated; or one
// whose target is constant.
template <class Loss, class Backward>
Tensor pair_loss(const char* name, const Loss& loss, const Backward& backward, const Tensor& x,
                 const Tensor& target) {
  check_pair(name, x, target);
  const detail::Output output{x.dtype(), loss.reduction == Reduction::none ? x.shape() : Shape{}};
  const Tensor y = detail::run(Operation(loss), {x, target}, output);
  if (!detail::records({x, target})) return y;
  return detail::record(
      name, {x, target}, y,
      [name, backward, x = SavedTensor(x), target = SavedTensor(target)](const BackwardCall& call) {
        const Tensor &input = x.get(name), &wanted = target.get(name);
        std::vector<Tensor> grads(2);
        const Tensor dx =
            detail::run(Operation(backward), {call.gradient, input, wanted}, detail::like(input));
        if (call.needs(0)) grads[0] = dx;
        if (call.needs(1)) grads[1] = affine(dx, -1, 0);
        return grads;
      });
}

Tensor huber(const char* name, const Tensor& x, const Tensor& target, float delta,
             Reduction reduction) {
  const op::HuberParams params{reduction, delta};
  return pair_loss(name, op::Huber{params}, op::HuberBackward{params}, x, target);
}

// What multiplies each element, repeated to the shape of x.
void check_broadcast(const char* role, const Tensor& x, const Tensor& weight) {
  if (!weight.defined()) return;
  detail::check_same_type("bce_with_logits", x, weight);
  bool fits = weight.rank() <= x.rank();
  for (std::size_t axis = 0; fits && axis < weight.rank(); ++axis) {
    const std::int64_t wanted = x.shape()[axis + x.rank() - weight.rank()];
    fits = weight.shape()[axis] == 1 || weight.shape()[axis] == wanted;
  }
  if (!fits) {
    reject("bce_with_logits: {} must broadcast to the input, got {} and {}", role, describe(weight),
           describe(x));
  }
  detail::check_constant("bce_with_logits", role, weight);
}

// pos_weight * target * ln(1 + e^-x) + (1 - target) * ln(1 + e^x), element by element.
Tensor weighted_bce(const Tensor& x, const Tensor& target, const Tensor& pos_weight) {
  constexpr float never = std::numeric_limits<float>::infinity();
  return target * pos_weight * softplus(-x, 1, never) +
         affine(target, -1, 1) * softplus(x, 1, never);
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  return pair_loss("mse_loss", op::Mse{reduction}, op::MseBackward{reduction}, x, target);
}

Tensor l1_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  return pair_loss("l1_loss", op::L1{reduction}, op::L1Backward{reduction}, x, target);
}

Tensor huber_loss(const Tensor& x, const Tensor& target, float delta, Reduction reduction) {
  if (!(delta > 0 && std::isfinite(delta))) {
    reject("huber_loss: delta must be finite and above 0, got {}", delta);
  }
  return huber("huber_loss", x, target, delta, reduction);
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, float beta, Reduction reduction) {
  if (!(beta >= 0 && std::isfinite(beta))) {
    reject("smooth_l1_loss: beta must be finite and not negative, got {}", beta);
  }
  if (beta == 0) return l1_loss(x, target, reduction);
  return affine(huber("smooth_l1_loss", x, target, beta, reduction), 1.0 / beta, 0);
}

Tensor bce_with_logits(const Tensor& x, const Tensor& target, const BceOptions& options) {
  check_pair("bce_with_logits", x, target);
  detail::check_constant("bce_with_logits", "target", target);
  check_broadcast("weight", x, options.weight);
  check_broadcast("pos_weight", x, options.pos_weight);
  const auto plain = [&](Reduction reduction) {
    return pair_loss("bce_with_logits", op::BceWithLogits{reduction},
                     op::BceWithLogitsBackward{reduction}, x, target);
  };
  if (!options.weight.defined() && !options.pos_weight.defined()) return plain(options.reduction);
  Tensor losses = options.pos_weight.defined() ? weighted_bce(x, target, options.pos_weight)
                                               : plain(Reduction::none);
  if (options.weight.defined()) losses = losses * options.weight;
  return detail::reduced(losses, options.reduction);
}

Tensor kl_div(const Tensor& log_p, const Tensor& target, const KlDivOptions& options) {
  check_pair("kl_div", log_p, target);
  detail::check_constant("kl_div", "target", target);
  const bool by_batch = options.reduction == KlDivReduction::batch_mean;
  if (by_batch && log_p.rank() == 0) {
    reject("kl_div: batch_mean expects an axis of samples, got {}; choose another reduction",
           describe(log_p));
  }
  const Reduction reduction = options.reduction == KlDivReduction::mean   ? Reduction::mean
                              : options.reduction == KlDivReduction::none ? Reduction::none
                                                                          : Reduction::sum;
  const op::KlDivParams params{reduction, options.log_target};
  const Tensor loss =
      pair_loss("kl_div", op::KlDiv{params}, op::KlDivBackward{params}, log_p, target);
  return by_batch ? affine(loss, 1.0 / static_cast<double>(log_p.size(0)), 0) : loss;
}

}  // namespace backplane
