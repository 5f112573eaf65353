// SGD: one fused step for all parameters of a device and group.
#include "backplane/optim/sgd.hpp"

#include <algorithm>

#include "backplane/operation.hpp"
#include "check.hpp"
#include "optim/operands.hpp"

namespace backplane {

SGD::SGD(std::vector<Tensor> parameters, const Options& options)
    : SGD(std::vector{ParameterGroup{std::move(parameters), options}}) {}

SGD::SGD(const std::vector<ParameterGroup>& groups)
    : Optimizer("SGD", detail::plain_groups<Group>(groups)),
      options_(detail::options_of<Options>(groups)),
      momentum_buffers_(this->parameters().size()) {
  const auto is_share = [](float x) { return x >= 0 && x < 1; };
  for (const Options& options : options_) {
    require(is_share(options.momentum), "momentum must be in [0, 1)", options.momentum);
    require(options.dampening >= 0 && options.dampening <= 1, "dampening must be in [0, 1]",
            options.dampening);
    require(options.weight_decay >= 0, "weight_decay must not be negative", options.weight_decay);
    if (options.nesterov && (options.momentum == 0 || options.dampening != 0)) {
      detail::reject("SGD: nesterov needs momentum and no dampening, got momentum {}, dampening {}",
                     options.momentum, options.dampening);
    }
  }
}

// After the first step, which fills the momentum buffer, all steps are alike.
std::int64_t SGD::phase(std::int64_t steps) const {
  return std::min<std::int64_t>(steps, 1);
}

std::vector<Optimizer::Slot> SGD::slots() {
  return {{"momentum", &momentum_buffers_}};
}

void SGD::update(const Batch& batch) {
  const Options& options = options_[batch.group];
  std::vector<Tensor> inputs = batch.parameters, outputs = batch.parameters;
  detail::append(inputs, batch.gradients);
  if (options.momentum != 0) {
    detail::append_state(inputs, momentum_buffers_, batch.members, batch.parameters);
    detail::append_state(outputs, momentum_buffers_, batch.members, batch.parameters);
  }
  run_update(batch, inputs, outputs);
}

Operation SGD::operation(std::size_t group, std::int64_t phase, std::size_t count) const {
  const Options& options = options_[group];
  const op::SgdStep step{static_cast<std::uint32_t>(count), options.momentum != 0,
                         options.nesterov};
  const op::SgdStep::Scalars scalars{learning_rate(group), options.momentum, options.dampening,
                                     options.weight_decay, phase == 0};
  return Operation(step, scalars);
}

}  // namespace backplane
