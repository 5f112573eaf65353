// Adam: one fused step for all parameters of a device.
#include "backplane/optim/adam.hpp"

#include <cmath>

#include "backplane/operation.hpp"
#include "dispatch/dispatch.hpp"
#include "optim/operands.hpp"

namespace backplane {

Adam::Adam(std::vector<Tensor> parameters, const Options& options)
    : Optimizer("Adam", std::move(parameters), options.learning_rate),
      options_(options),
      first_moments_(this->parameters().size()),
      second_moments_(this->parameters().size()) {
  const auto is_share = [](float x) { return x >= 0 && x < 1; };
  require(is_share(options.beta1), "beta1 must be in [0, 1)", options.beta1);
  require(is_share(options.beta2), "beta2 must be in [0, 1)", options.beta2);
  require(options.epsilon >= 0, "epsilon must not be negative", options.epsilon);
  require(options.weight_decay >= 0, "weight_decay must not be negative", options.weight_decay);
}

void Adam::update(const Group& group) {
  std::vector<Tensor> inputs = group.parameters, outputs = group.parameters;
  detail::append(inputs, group.gradients);
  for (auto* moments : {&first_moments_, &second_moments_}) {
    detail::append_state(inputs, *moments, group.members, group.parameters);
    detail::append_state(outputs, *moments, group.members, group.parameters);
  }
  // In double: 1 - beta^t cancels, and at t = 1 that is a thousandth for beta2.
  const auto t = static_cast<double>(group.phase + 1);
  const op::AdamStep::Scalars scalars{
      .rate = learning_rate(),
      .beta1 = options_.beta1,
      .beta2 = options_.beta2,
      .epsilon = options_.epsilon,
      .weight_decay = options_.weight_decay,
      .correction1 = static_cast<float>(1 - std::pow(double{options_.beta1}, t)),
      .correction2 = static_cast<float>(1 - std::pow(double{options_.beta2}, t))};
  const op::AdamStep step{.count = static_cast<std::uint32_t>(group.members.size()),
                          .decoupled = 0};
  detail::run_in_place(Operation(step, scalars), inputs, outputs);
}

}  // namespace backplane
