// Losses by element, their sum or their mean.
#include "loss.hpp"

namespace backplane::card {

void check_loss(const Check& check, op::Reduction reduction, const bp_tensor_desc& loss,
                const bp_tensor_desc& each) {
  check.that(reduction <= op::Reduction::none,
             "reduction " + std::to_string(static_cast<std::uint32_t>(reduction)) + " is unknown");
  if (reduction == op::Reduction::none) {
    check.same_dims(loss, "loss", each);
  } else {
    check.dims(loss, "loss", {});
  }
}

float loss_divisor(op::Reduction reduction, i64 count) {
  return reduction == op::Reduction::mean ? static_cast<float>(count) : 1.0f;
}

bp_tensor_desc spread(op::Reduction reduction, const bp_tensor_desc& dloss,
                      const bp_tensor_desc& each) {
  if (reduction == op::Reduction::none) return dloss;
  bp_tensor_desc spread = each;
  std::fill(std::begin(spread.strides), std::end(spread.strides), 0);
  return spread;
}

LossReduction::LossReduction(plugin::Request& request, op::Reduction reduction,
                             const bp_tensor_desc& each)
    : target_(request.outputs[0]) {
  if (reduction == op::Reduction::none) return;
  const i64 count = element_count(each);
  const bp_tensor_desc line = dense(BP_F32, {count}), result = dense(BP_F32, {1});
  sum_.emplace(request, 1u, line, result,
               reduction == op::Reduction::mean ? static_cast<double>(count) : 1.0);
  target_ = each;
  set_dense_strides(target_);
  scratch_ = reserve(request, static_cast<std::uint64_t>(count) * sizeof(float));
}

Memory LossReduction::target(const Call& call) const {
  return sum_ ? call.workspace(scratch_) : call.output(0);
}

void LossReduction::enqueue(const Call& call) const {
  if (sum_) sum_->enqueue(call, call.output(0), call.workspace(scratch_), false);
}

}  // namespace backplane::card
