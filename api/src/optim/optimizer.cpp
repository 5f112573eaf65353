// What all optimizers share: the parameters, which of them step together, and the checks.
#include "backplane/optim/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "check.hpp"
#include "compile/recording.hpp"
#include "dispatch/dispatch.hpp"

namespace backplane {

Optimizer::Optimizer(std::string name, std::vector<Group> groups) : name_(std::move(name)) {
  for (Group& group : groups) {
    group_of_.insert(group_of_.end(), group.parameters.size(), learning_rates_.size());
    std::ranges::move(group.parameters, std::back_inserter(parameters_));
    learning_rates_.push_back(0);
    set_learning_rate(learning_rates_.size() - 1, group.learning_rate);
  }
  steps_.assign(parameters_.size(), 0);
  if (parameters_.empty()) {
    detail::reject("{}: there must be parameters, got none; pass a layer's parameters()", name_);
  }
  std::set<const detail::TensorImpl*> seen;
  bool any_learns = false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i];
    if (!parameter.defined()) detail::reject("{}: parameter {} is undefined", name_, i);
    if (!parameter.is_leaf()) {
      detail::reject(
          "{}: parameter {} {} must be a leaf, it is the result of an operation; pass the"
          " tensors it was made of, or detach() it",
          name_, i, to_string(parameter.shape()));
    }
    if (!seen.insert(parameter.impl().get()).second) {
      detail::reject("{}: parameter {} comes a second time; each would be stepped twice", name_, i);
    }
    any_learns = any_learns || parameter.requires_grad();
  }
  if (!any_learns) {
    detail::reject(
        "{}: a parameter must require a gradient, none of {} does; call"
        " set_requires_grad()",
        name_, parameters_.size());
  }
}

void Optimizer::check_group(std::size_t group) const {
  if (group < group_count()) return;
  detail::reject("{}: there are {} groups, number {} is none of them", name_, group_count(), group);
}

float Optimizer::learning_rate(std::size_t group) const {
  check_group(group);
  return learning_rates_[group];
}

void Optimizer::set_learning_rate(float rate) {
  for (std::size_t group = 0; group < group_count(); ++group) set_learning_rate(group, rate);
}

void Optimizer::set_learning_rate(std::size_t group, float rate) {
  check_group(group);
  require(std::isfinite(rate) && rate >= 0, "learning_rate must be finite and not negative", rate);
  learning_rates_[group] = rate;
}

void Optimizer::require(bool holds, std::string_view rule, double value) const {
  if (!holds) detail::reject("{}: {}, got {}", name_, rule, value);
}

void Optimizer::zero_grad(bool keep_memory) {
  for (Tensor& parameter : parameters_) {
    Tensor gradient = keep_memory ? parameter.grad() : Tensor();
    if (gradient.defined()) {
      gradient.fill(0);
    } else {
      parameter.set_grad({});
    }
  }
}

std::vector<Optimizer::Batch> Optimizer::batches() const {
  std::vector<Batch> all;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor gradient = parameters_[i].grad();
    if (!gradient.defined()) continue;
    const Device device = parameters_[i].device();
    const std::int64_t now = phase(steps_[i]);
    auto batch = std::find_if(all.begin(), all.end(), [&](const Batch& b) {
      return b.group == group_of_[i] && b.phase == now && b.parameters.front().device() == device;
    });
    if (batch == all.end()) batch = all.insert(all.end(), Batch{group_of_[i], {}, now, {}, {}});
    batch->members.push_back(i);
    batch->parameters.push_back(parameters_[i]);
    batch->gradients.push_back(gradient);
  }
  return all;
}

void Optimizer::run_update(const Batch& batch, std::span<const Tensor> inputs,
                           std::span<const Tensor> outputs) {
  const std::size_t group = batch.group, count = batch.members.size();
  if (detail::Recording* recording = detail::current_recording()) {
    recording->refresh_next([this, group, count, member = batch.members.front()] {
      return operation(group, phase(steps_[member]), count);
    });
  }
  detail::run_in_place(operation(group, batch.phase, count), inputs, outputs);
}

void Optimizer::count_step(std::span<const std::size_t> members) {
  for (const std::size_t member : members) ++steps_[member];
  ++step_count_;
}

void Optimizer::step() {
  std::vector<std::size_t> stepped;
  for (const Batch& batch : batches()) {
    update(batch);
    stepped.insert(stepped.end(), batch.members.begin(), batch.members.end());
  }
  count_step(stepped);
  if (detail::Recording* recording = detail::current_recording()) {
    recording->repeat([this, stepped] { count_step(stepped); });
  }
}

}  // namespace backplane
