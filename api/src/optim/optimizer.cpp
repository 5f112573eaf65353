// What all optimizers share: the parameters, which of them step together, and the checks.
#include "backplane/optim/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "check.hpp"

namespace backplane {

Optimizer::Optimizer(std::string name, std::vector<Tensor> parameters, float learning_rate)
    : name_(std::move(name)), parameters_(std::move(parameters)), steps_(parameters_.size(), 0) {
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
  set_learning_rate(learning_rate);
}

void Optimizer::set_learning_rate(float rate) {
  require(std::isfinite(rate) && rate >= 0, "learning_rate must be finite and not negative", rate);
  learning_rate_ = rate;
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

std::vector<Optimizer::Group> Optimizer::groups() const {
  std::vector<Group> all;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor gradient = parameters_[i].grad();
    if (!gradient.defined()) continue;
    const Device device = parameters_[i].device();
    const std::int64_t now = phase(steps_[i]);
    auto group = std::find_if(all.begin(), all.end(), [&](const Group& g) {
      return g.phase == now && g.parameters.front().device() == device;
    });
    if (group == all.end()) group = all.insert(all.end(), Group{{}, now, {}, {}});
    group->members.push_back(i);
    group->parameters.push_back(parameters_[i]);
    group->gradients.push_back(gradient);
  }
  return all;
}

void Optimizer::step() {
  for (const Group& group : groups()) {
    update(group);
    for (const std::size_t member : group.members) ++steps_[member];
  }
  ++step_count_;
}

}  // namespace backplane
