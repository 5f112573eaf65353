// Activations beyond relu, each with its gradient: leaky_relu, elu, sigmoid, tanh, gelu, silu,
// softplus.
#include <cmath>
#include <numbers>

#include "backend.hpp"
#include "elementwise.hpp"

namespace backplane::reference {
namespace {

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

// A product in which a term that has vanished is absent, even times infinity.
double times(double term, double factor) {
  return term == 0 ? 0.0 : term * factor;
}

// What x is multiplied by, and the derivative of that.
struct Gate {
  double value, slope;
};

// By a difference, 1 - logistic(x) would lose its digits.
Gate logistic_gate(double x) {
  return {logistic(x), logistic(x) * logistic(-x)};
}

Gate gelu_gate(double x, op::Approximate approximate) {
  if (approximate == op::Approximate::none) {
    return {std::erfc(-x / std::numbers::sqrt2) / 2,
            std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi)};
  }
  // (1 + tanh(u)) / 2 = logistic(2 u)
  const double twice = std::sqrt(8 / std::numbers::pi), cubic = 0.044715;
  const Gate gate = logistic_gate(twice * (x + cubic * x * x * x));
  return {gate.value, times(gate.slope, twice * (1 + 3 * cubic * x * x))};
}

double gated_gradient(double dy, double x, const Gate& gate) {
  return dy * (gate.value + times(gate.slope, x));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LeakyRelu& op,
                                                    plugin::Request& request) {
  return plan_unary<op::LeakyRelu>(request,
                                   [op](double x) { return x > 0 ? x : op.negative_slope * x; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LeakyReluBackward& op,
                                                    plugin::Request& request) {
  return plan_gradient<op::LeakyReluBackward>(
      request, "x", [op](double dy, double x) { return x <= 0 ? op.negative_slope * dy : dy; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Elu& op, plugin::Request& request) {
  return plan_unary<op::Elu>(request,
                             [op](double x) { return x < 0 ? op.alpha * std::expm1(x) : x; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::EluBackward& op,
                                                    plugin::Request& request) {
  return plan_gradient<op::EluBackward>(
      request, "x", [op](double dy, double x) { return x > 0 ? dy : dy * op.alpha * std::exp(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Sigmoid&, plugin::Request& request) {
  return plan_unary<op::Sigmoid>(request, logistic);
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::SigmoidBackward&,
                                                    plugin::Request& request) {
  return plan_gradient<op::SigmoidBackward>(request, "y",
                                            [](double dy, double y) { return dy * y * (1 - y); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Tanh&, plugin::Request& request) {
  return plan_unary<op::Tanh>(request, [](double x) { return std::tanh(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::TanhBackward&,
                                                    plugin::Request& request) {
  return plan_gradient<op::TanhBackward>(
      request, "y", [](double dy, double y) { return dy * (1 - y) * (1 + y); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Gelu& op, plugin::Request& request) {
  return plan_unary<op::Gelu>(
      request, [form = op.approximate](double x) { return x * gelu_gate(x, form).value; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::GeluBackward& op,
                                                    plugin::Request& request) {
  return plan_gradient<op::GeluBackward>(request, "x",
                                         [form = op.approximate](double dy, double x) {
                                           return gated_gradient(dy, x, gelu_gate(x, form));
                                         });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Silu&, plugin::Request& request) {
  return plan_unary<op::Silu>(request, [](double x) { return x * logistic(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::SiluBackward&,
                                                    plugin::Request& request) {
  return plan_gradient<op::SiluBackward>(
      request, "x", [](double dy, double x) { return gated_gradient(dy, x, logistic_gate(x)); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Softplus& op,
                                                    plugin::Request& request) {
  return plan_unary<op::Softplus>(request, [op](double x) {
    const double z = op.beta * x;
    return z > op.threshold ? x : (std::fmax(z, 0) + std::log1p(std::exp(-std::abs(z)))) / op.beta;
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::SoftplusBackward& op,
                                                    plugin::Request& request) {
  return plan_gradient<op::SoftplusBackward>(request, "x", [op](double dy, double x) {
    const double z = op.beta * x;
    return z > op.threshold ? dy : dy * logistic(z);
  });
}

}  // namespace backplane::reference
