// RMSprop: one fused step for all parameters of a device and group.
#include "backplane/optim/rmsprop.hpp"

#include "backplane/operation.hpp"
#include "optim/operands.hpp"

namespace backplane {

RMSprop::RMSprop(std::vector<Tensor> parameters, const Options& options)
    : RMSprop(std::vector{ParameterGroup{std::move(parameters), options}}) {}

RMSprop::RMSprop(const std::vector<ParameterGroup>& groups)
    : Optimizer("RMSprop", detail::plain_groups<Group>(groups)),
      options_(detail::options_of<Options>(groups)),
      second_moments_(this->parameters().size()),
      first_moments_(this->parameters().size()),
      momentum_buffers_(this->parameters().size()) {
  const auto is_share = [](float x) { return x >= 0 && x < 1; };
  for (const Options& options : options_) {
    require(is_share(options.alpha), "alpha must be in [0, 1)", options.alpha);
    require(options.epsilon >= 0, "epsilon must not be negative", options.epsilon);
    require(options.weight_decay >= 0, "weight_decay must not be negative", options.weight_decay);
    require(is_share(options.momentum), "momentum must be in [0, 1)", options.momentum);
  }
}

std::vector<Optimizer::Slot> RMSprop::slots() {
  return {{"second_moment", &second_moments_},
          {"first_moment", &first_moments_},
          {"momentum", &momentum_buffers_}};
}

void RMSprop::update(const Batch& batch) {
  const Options& options = options_[batch.group];
  const bool has_momentum = options.momentum != 0;
  std::vector<Tensor> inputs = batch.parameters, outputs = batch.parameters;
  detail::append(inputs, batch.gradients);
  const auto add_state = [&](std::vector<Tensor>& state) {
    detail::append_state(inputs, state, batch.members, batch.parameters);
    detail::append_state(outputs, state, batch.members, batch.parameters);
  };
  add_state(second_moments_);
  if (options.centered) add_state(first_moments_);
  if (has_momentum) add_state(momentum_buffers_);
  run_update(batch, inputs, outputs);
}

Operation RMSprop::operation(std::size_t group, std::int64_t, std::size_t count) const {
  const Options& options = options_[group];
  const op::RmspropStep step{static_cast<std::uint32_t>(count), options.centered,
                             options.momentum != 0};
  const op::RmspropStep::Scalars scalars{learning_rate(group), options.alpha, options.epsilon,
                                         options.weight_decay, options.momentum};
  return Operation(step, scalars);
}

}  // namespace backplane
