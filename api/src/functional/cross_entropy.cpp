// cross_entropy and mse_loss.
#include <array>

#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::describe;
using detail::reject;
using detail::SavedTensor;

Tensor cross_entropy(const Tensor& logits, const Tensor& labels, Reduction reduction) {
  detail::check_floating("cross_entropy", logits);
  detail::check_rank("cross_entropy", "logits", logits, 2);
  if (detail::get(labels, "cross_entropy").dtype != DType::i64) {
    reject("cross_entropy: labels must be i64, got {}; cast() them", describe(labels));
  }
  if (labels.shape() != Shape{logits.size(0)}) {
    reject("cross_entropy: expects one label for each of {} samples, got {} (logits {})",
           logits.size(0), describe(labels), describe(logits));
  }
  const Shape shape = reduction == Reduction::none ? labels.shape() : Shape{};
  const std::array inputs{detail::plain_handle(logits), labels};
  const std::array outputs{detail::Output{logits.dtype(), shape}, detail::like(logits)};
  const auto made = detail::run(Operation(op::CrossEntropy{reduction}), inputs, outputs);
  if (!detail::records({logits})) return made[0];
  return detail::record(
      "cross_entropy", {logits}, made[0],
      [reduction, log_p = SavedTensor(made[1]), labels = SavedTensor(labels)](
          const BackwardCall& call) {
        const Tensor& saved = log_p.get("cross_entropy");
        return std::vector{detail::run(Operation(op::CrossEntropyBackward{reduction}),
                                       {call.gradient, saved, labels.get("cross_entropy")},
                                       detail::like(saved))};
      });
}

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  detail::check_same_type("mse_loss", x, target);
  detail::check_floating("mse_loss", x);
  if (x.shape() != target.shape()) {
    reject("mse_loss: input and target must have one shape, got {} and {}", describe(x),
           describe(target));
  }
  const detail::Output output{x.dtype(), reduction == Reduction::none ? x.shape() : Shape{}};
  const Tensor loss = detail::run(Operation(op::Mse{reduction}), {x, target}, output);
  if (!detail::records({x, target})) return loss;
  return detail::record(
      "mse_loss", {x, target}, loss,
      [reduction, x = SavedTensor(x), target = SavedTensor(target)](const BackwardCall& call) {
        const Tensor &input = x.get("mse_loss"), &wanted = target.get("mse_loss");
        std::vector<Tensor> grads(2);
        const Tensor dx = detail::run(Operation(op::MseBackward{reduction}),
                                      {call.gradient, input, wanted}, detail::like(input));
        if (call.needs(0)) grads[0] = dx;
        if (call.needs(1)) grads[1] = affine(dx, -1, 0);
        return grads;
      });
}

}  // namespace backplane
