// Activations beyond relu, each with its gradient: leaky_relu, elu, sigmoid, tanh, gelu, silu,
// softplus.
#include "backend.hpp"
#include "unary.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LeakyRelu& op,
                                                 plugin::Request& request) {
  return plan_unary<op::LeakyRelu>(request, Map{cpu::LeakyRelu{op.negative_slope}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LeakyReluBackward& op,
                                                 plugin::Request& request) {
  return plan_gradient<op::LeakyReluBackward>(request, "x",
                                              MapGradient{cpu::LeakyRelu{op.negative_slope}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Elu& op, plugin::Request& request) {
  return plan_unary<op::Elu>(request, Map{cpu::Elu{op.alpha}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::EluBackward& op,
                                                 plugin::Request& request) {
  return plan_gradient<op::EluBackward>(request, "x", MapGradient{cpu::Elu{op.alpha}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Sigmoid&, plugin::Request& request) {
  return plan_unary<op::Sigmoid>(request, Map{cpu::Sigmoid{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::SigmoidBackward&,
                                                 plugin::Request& request) {
  return plan_gradient<op::SigmoidBackward>(request, "y", MapGradient{cpu::Sigmoid{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Tanh&, plugin::Request& request) {
  return plan_unary<op::Tanh>(request, Map{cpu::Tanh{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::TanhBackward&,
                                                 plugin::Request& request) {
  return plan_gradient<op::TanhBackward>(request, "y", MapGradient{cpu::Tanh{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Gelu& op, plugin::Request& request) {
  return plan_unary<op::Gelu>(request, Map{cpu::Gelu{op.approximate == op::Approximate::tanh}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::GeluBackward& op,
                                                 plugin::Request& request) {
  return plan_gradient<op::GeluBackward>(
      request, "x", MapGradient{cpu::Gelu{op.approximate == op::Approximate::tanh}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Silu&, plugin::Request& request) {
  return plan_unary<op::Silu>(request, Map{cpu::Silu{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::SiluBackward&,
                                                 plugin::Request& request) {
  return plan_gradient<op::SiluBackward>(request, "x", MapGradient{cpu::Silu{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Softplus& op, plugin::Request& request) {
  return plan_unary<op::Softplus>(request, Map{cpu::Softplus{op.beta, op.threshold}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::SoftplusBackward& op,
                                                 plugin::Request& request) {
  return plan_gradient<op::SoftplusBackward>(request, "x",
                                             MapGradient{cpu::Softplus{op.beta, op.threshold}});
}

}  // namespace backplane::onednn
