// Activations beyond relu, each with its gradient: leaky_relu, elu, sigmoid, tanh, gelu, silu,
// softplus.
#include "elementwise.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

i32 is_tanh(const op::GeluParams& op) {
  return op.approximate == op::Approximate::tanh;
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::LeakyRelu& op, plugin::Request& request) {
  return plan_unary<op::LeakyRelu>(request, kernel::leaky_relu_float, op.negative_slope);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::LeakyReluBackward& op,
                                          plugin::Request& request) {
  return plan_gradient<op::LeakyReluBackward>(request, "x", kernel::leaky_relu_backward_float,
                                              op.negative_slope);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Elu& op, plugin::Request& request) {
  return plan_unary<op::Elu>(request, kernel::elu_float, op.alpha);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::EluBackward& op, plugin::Request& request) {
  return plan_gradient<op::EluBackward>(request, "x", kernel::elu_backward_float, op.alpha);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Sigmoid&, plugin::Request& request) {
  return plan_unary<op::Sigmoid>(request, kernel::sigmoid_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::SigmoidBackward&, plugin::Request& request) {
  return plan_gradient<op::SigmoidBackward>(request, "y", kernel::sigmoid_backward_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Tanh&, plugin::Request& request) {
  return plan_unary<op::Tanh>(request, kernel::tanh_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::TanhBackward&, plugin::Request& request) {
  return plan_gradient<op::TanhBackward>(request, "y", kernel::tanh_backward_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Gelu& op, plugin::Request& request) {
  return plan_unary<op::Gelu>(request, kernel::gelu_float, is_tanh(op));
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::GeluBackward& op, plugin::Request& request) {
  return plan_gradient<op::GeluBackward>(request, "x", kernel::gelu_backward_float, is_tanh(op));
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Silu&, plugin::Request& request) {
  return plan_unary<op::Silu>(request, kernel::silu_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::SiluBackward&, plugin::Request& request) {
  return plan_gradient<op::SiluBackward>(request, "x", kernel::silu_backward_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Softplus& op, plugin::Request& request) {
  return plan_unary<op::Softplus>(request, kernel::softplus_float, op.beta, op.threshold);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::SoftplusBackward& op,
                                          plugin::Request& request) {
  return plan_gradient<op::SoftplusBackward>(request, "x", kernel::softplus_backward_float, op.beta,
                                             op.threshold);
}

}  // namespace backplane::card
