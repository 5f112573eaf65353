// Arithmetic on two operands: add, sub, mul, div, pow, maximum, minimum.
#include "elementwise.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Add&, plugin::Request& request) {
  return plan_binary<op::Add>(request, kernel::add_float, kernel::add_integer);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Sub&, plugin::Request& request) {
  return plan_binary<op::Sub>(request, kernel::sub_float, kernel::sub_integer);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Mul&, plugin::Request& request) {
  return plan_binary<op::Mul>(request, kernel::mul_float, kernel::mul_integer);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Div&, plugin::Request& request) {
  return plan_pair<op::Div>(request, "a", "b", "y", kernel::div_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Pow&, plugin::Request& request) {
  return plan_pair<op::Pow>(request, "a", "b", "y", kernel::pow_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Maximum&, plugin::Request& request) {
  return plan_binary<op::Maximum>(request, kernel::maximum_float, kernel::maximum_integer);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Minimum&, plugin::Request& request) {
  return plan_binary<op::Minimum>(request, kernel::minimum_float, kernel::minimum_integer);
}

}  // namespace backplane::card
