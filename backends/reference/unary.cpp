// Functions of one element: neg, abs, sign, exp, log, sqrt, rsqrt, square, reciprocal, clamp; and
// the gradients of abs and clamp.
#include <cmath>

#include "backend.hpp"
#include "elementwise.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Neg&, plugin::Request& request) {
  return plan_unary<op::Neg>(request, [](double x) { return -x; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Abs&, plugin::Request& request) {
  return plan_unary<op::Abs>(request, [](double x) { return std::abs(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::AbsBackward&,
                                                    plugin::Request& request) {
  return plan_gradient<op::AbsBackward>(request, "x", [](double dy, double x) {
    if (x == 0) return 0.0;
    return x > 0 ? dy : x < 0 ? -dy : x;
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Sign&, plugin::Request& request) {
  return plan_unary<op::Sign>(request, [](double x) {
    if (x == 0) return 0.0;
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Exp&, plugin::Request& request) {
  return plan_unary<op::Exp>(request, [](double x) { return std::exp(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Log&, plugin::Request& request) {
  return plan_unary<op::Log>(request, [](double x) { return std::log(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Sqrt&, plugin::Request& request) {
  return plan_unary<op::Sqrt>(request, [](double x) { return std::sqrt(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Rsqrt&, plugin::Request& request) {
  return plan_unary<op::Rsqrt>(request, [](double x) { return 1 / std::sqrt(x); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Square&, plugin::Request& request) {
  return plan_unary<op::Square>(request, [](double x) { return x * x; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Reciprocal&,
                                                    plugin::Request& request) {
  return plan_unary<op::Reciprocal>(request, [](double x) { return 1 / x; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Clamp& op, plugin::Request& request) {
  return plan_unary<op::Clamp>(request, [op](double x) {
    const double raised = x < op.min ? op.min : x;
    return raised > op.max ? op.max : raised;
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ClampBackward& op,
                                                    plugin::Request& request) {
  return plan_gradient<op::ClampBackward>(
      request, "x", [op](double dy, double x) { return x < op.min || x > op.max ? 0.0 : dy; });
}

}  // namespace backplane::reference
