// How per-element losses become the result, and where they wait until then.
#pragma once

#include <optional>

#include "backplane/plugin/ops.hpp"
#include "lines.hpp"

namespace backplane::card {

// Invalid unless the reduction is known and the loss, or its gradient, has the dims it asks for.
void check_loss(const Check& check, op::Reduction reduction, const bp_tensor_desc& loss,
                const bp_tensor_desc& each);

// The gradient of each of `count` losses is dloss divided by this.
[[nodiscard]] float loss_divisor(op::Reduction reduction, i64 count);

// dloss as a tensor with one element for each loss: a mean's or a sum's repeats itself.
[[nodiscard]] bp_tensor_desc spread(op::Reduction reduction, const bp_tensor_desc& dloss,
                                    const bp_tensor_desc& each);

class LossReduction {
 public:
  // `each` has the dims of the losses.
  LossReduction(plugin::Request& request, op::Reduction reduction, const bp_tensor_desc& each);

  // Where a kernel writes the losses: output 0 if nothing is reduced, else scratch memory.
  [[nodiscard]] const bp_tensor_desc& target() const { return target_; }
  [[nodiscard]] Memory target(const Call& call) const;
  // To be called after that kernel.
  void enqueue(const Call& call) const;

 private:
  bp_tensor_desc target_;
  std::uint64_t scratch_ = 0;
  std::optional<Sum> sum_;
};

}  // namespace backplane::card
