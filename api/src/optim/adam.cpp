// Adam and AdamW: one fused step for all parameters of a device and group.
#include "backplane/optim/adam.hpp"

#include <cmath>

#include "backplane/operation.hpp"
#include "optim/operands.hpp"

namespace backplane {

Adam::Adam(std::vector<Tensor> parameters, const Options& options)
    : Adam(std::vector{ParameterGroup{std::move(parameters), options}}) {}

Adam::Adam(std::string name, const std::vector<ParameterGroup>& groups, bool decoupled)
    : Optimizer(std::move(name), detail::plain_groups<Group>(groups)),
      options_(detail::options_of<Options>(groups)),
      decoupled_(decoupled),
      first_moments_(this->parameters().size()),
      second_moments_(this->parameters().size()) {
  const auto is_share = [](float x) { return x >= 0 && x < 1; };
  for (const Options& options : options_) {
    require(is_share(options.beta1), "beta1 must be in [0, 1)", options.beta1);
    require(is_share(options.beta2), "beta2 must be in [0, 1)", options.beta2);
    require(options.epsilon >= 0, "epsilon must not be negative", options.epsilon);
    require(options.weight_decay >= 0, "weight_decay must not be negative", options.weight_decay);
  }
}

std::vector<Optimizer::Slot> Adam::slots() {
  return {{"first_moment", &first_moments_}, {"second_moment", &second_moments_}};
}

void Adam::update(const Batch& batch) {
  std::vector<Tensor> inputs = batch.parameters, outputs = batch.parameters;
  detail::append(inputs, batch.gradients);
  for (auto* moments : {&first_moments_, &second_moments_}) {
    detail::append_state(inputs, *moments, batch.members, batch.parameters);
    detail::append_state(outputs, *moments, batch.members, batch.parameters);
  }
  run_update(batch, inputs, outputs);
}

Operation Adam::operation(std::size_t group, std::int64_t phase, std::size_t count) const {
  const Options& options = options_[group];
  // In double: 1 - beta^t cancels, and at t = 1 that is a thousandth for beta2.
  const auto t = static_cast<double>(phase + 1);
  const op::AdamStep::Scalars scalars{
      .rate = learning_rate(group),
      .beta1 = options.beta1,
      .beta2 = options.beta2,
      .epsilon = options.epsilon,
      .weight_decay = options.weight_decay,
      .correction1 = static_cast<float>(1 - std::pow(double{options.beta1}, t)),
      .correction2 = static_cast<float>(1 - std::pow(double{options.beta2}, t))};
  const op::AdamStep step{.count = static_cast<std::uint32_t>(count), .decoupled = decoupled_};
  return Operation(step, scalars);
}

namespace {

std::vector<Adam::ParameterGroup> as_adam(const std::vector<AdamW::ParameterGroup>& groups) {
  std::vector<Adam::ParameterGroup> converted;
  for (const auto& [parameters, o] : groups) {
    converted.push_back(
        {parameters, {o.learning_rate, o.beta1, o.beta2, o.epsilon, o.weight_decay}});
  }
  return converted;
}

}  // namespace

AdamW::AdamW(std::vector<Tensor> parameters, const Options& options)
    : AdamW(std::vector{ParameterGroup{std::move(parameters), options}}) {}

AdamW::AdamW(const std::vector<ParameterGroup>& groups) : Adam("AdamW", as_adam(groups), true) {}

}  // namespace backplane
