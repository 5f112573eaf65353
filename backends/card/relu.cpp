// relu and its gradient.
#include "elementwise.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Relu&, plugin::Request& request) {
  return plan_unary<op::Relu>(request, kernel::relu);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ReluBackward&, plugin::Request& request) {
  return plan_gradient<op::ReluBackward>(request, "y", kernel::relu_backward);
}

}  // namespace backplane::card
