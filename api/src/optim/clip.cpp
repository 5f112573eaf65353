// clip_grad_norm and clip_grad_value: fused over all gradients.
#include "backplane/optim/clip.hpp"

#include <array>

#include "backplane/operation.hpp"
#include "check.hpp"
#include "dispatch/dispatch.hpp"

namespace backplane {
namespace {

void check_limit(const char* name, const char* parameter, float limit) {
  if (limit >= 0) return;
  detail::reject("{}: {} must not be negative or NaN, got {}", name, parameter, limit);
}

std::vector<Tensor> gradients_of(const char* name, std::span<const Tensor> parameters) {
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].defined()) detail::reject("{}: parameter {} is undefined", name, i);
    if (const Tensor gradient = parameters[i].grad(); gradient.defined()) {
      gradients.push_back(gradient);
    }
  }
  return gradients;
}

std::uint32_t count_of(const std::vector<Tensor>& tensors) {
  return static_cast<std::uint32_t>(tensors.size());
}

}  // namespace

Tensor clip_grad_norm(std::span<const Tensor> parameters, float max_norm) {
  check_limit("clip_grad_norm", "max_norm", max_norm);
  const std::vector<Tensor> gradients = gradients_of("clip_grad_norm", parameters);
  if (gradients.empty()) {
    detail::reject("clip_grad_norm: none of {} parameters has a gradient; call backward() first",
                   parameters.size());
  }
  for (const Tensor& gradient : gradients) {
    if (gradient.device() == gradients[0].device()) continue;
    detail::reject("clip_grad_norm: gradients are on {} and {}; clip those of each device apart",
                   gradients[0].device().name(), gradient.device().name());
  }
  const std::array output{detail::Output{gradients[0].dtype(), Shape{}}};
  const Tensor norm =
      detail::run(Operation(op::GradientNorm{count_of(gradients)}), gradients, output)[0];
  std::vector<Tensor> inputs = gradients;
  inputs.push_back(norm);
  detail::run_in_place(Operation(op::ClipByNorm{count_of(gradients)}, {max_norm}), inputs,
                       gradients);
  return norm;
}

void clip_grad_value(std::span<const Tensor> parameters, float limit) {
  check_limit("clip_grad_value", "limit", limit);
  std::vector<Tensor> left = gradients_of("clip_grad_value", parameters);
  while (!left.empty()) {
    const Device device = left[0].device();
    std::vector<Tensor> here, others;
    for (const Tensor& gradient : left) {
      (gradient.device() == device ? here : others).push_back(gradient);
    }
    detail::run_in_place(Operation(op::ClipByValue{count_of(here)}, {limit}), here, here);
    left = std::move(others);
  }
}

}  // namespace backplane
