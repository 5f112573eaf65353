// add: y = a + b.
#include "elementwise.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Add&, plugin::Request& request) {
  return plan_binary<op::Add>(request, kernel::add_float, kernel::add_integer);
}

}  // namespace backplane::card
