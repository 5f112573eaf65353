// mul: y = a * b.
#include "elementwise.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Mul&, plugin::Request& request) {
  return plan_binary<op::Mul>(request, kernel::mul_float, kernel::mul_integer);
}

}  // namespace backplane::card
