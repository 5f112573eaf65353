// Arithmetic on two operands: add, sub, mul, div, pow, maximum, minimum.
#include <cmath>
#include <functional>

#include "backend.hpp"
#include "elementwise.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Add&, plugin::Request& request) {
  return plan_binary<op::Add>(request, std::plus<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Sub&, plugin::Request& request) {
  return plan_binary<op::Sub>(request, std::minus<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Mul&, plugin::Request& request) {
  return plan_binary<op::Mul>(request, std::multiplies<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Div&, plugin::Request& request) {
  return plan_floats<op::Div>(request, "a", "b", "y", std::divides<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Pow&, plugin::Request& request) {
  return plan_floats<op::Pow>(request, "a", "b", "y",
                              [](double a, double b) { return std::pow(a, b); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Maximum&, plugin::Request& request) {
  return plan_binary<op::Maximum, std::int64_t>(
      request, [](auto a, auto b) { return a >= b || a != a ? a : b; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Minimum&, plugin::Request& request) {
  return plan_binary<op::Minimum, std::int64_t>(
      request, [](auto a, auto b) { return a <= b || a != a ? a : b; });
}

}  // namespace backplane::reference
