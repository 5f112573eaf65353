// SGD: one fused step for all parameters of a device.
#include "backplane/optim/sgd.hpp"

#include <algorithm>

#include "backplane/operation.hpp"
#include "check.hpp"
#include "dispatch/dispatch.hpp"
#include "optim/operands.hpp"

namespace backplane {

SGD::SGD(std::vector<Tensor> parameters, const Options& options)
    : Optimizer("SGD", std::move(parameters), options.learning_rate),
      options_(options),
      momentum_buffers_(this->parameters().size()) {
  const auto is_share = [](float x) { return x >= 0 && x < 1; };
  require(is_share(options.momentum), "momentum must be in [0, 1)", options.momentum);
  require(options.dampening >= 0 && options.dampening <= 1, "dampening must be in [0, 1]",
          options.dampening);
  require(options.weight_decay >= 0, "weight_decay must not be negative", options.weight_decay);
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0)) {
    detail::reject("SGD: nesterov needs momentum and no dampening, got momentum {}, dampening {}",
                   options.momentum, options.dampening);
  }
}

// After the first step, which fills the momentum buffer, all steps are alike.
std::int64_t SGD::phase(std::int64_t steps) const {
  return std::min<std::int64_t>(steps, 1);
}

void SGD::update(const Group& group) {
  std::vector<Tensor> inputs = group.parameters, outputs = group.parameters;
  detail::append(inputs, group.gradients);
  if (options_.momentum != 0) {
    detail::append_state(inputs, momentum_buffers_, group.members, group.parameters);
    detail::append_state(outputs, momentum_buffers_, group.members, group.parameters);
  }
  const op::SgdStep step{static_cast<std::uint32_t>(group.members.size()), options_.momentum != 0,
                         options_.nesterov};
  const op::SgdStep::Scalars scalars{learning_rate(), options_.momentum, options_.dampening,
                                     options_.weight_decay, group.phase == 0};
  detail::run_in_place(Operation(step, scalars), inputs, outputs);
}

}  // namespace backplane
