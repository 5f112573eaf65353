// relu and its gradient.
#include <cmath>

#include "backend.hpp"
#include "elementwise.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Relu&, plugin::Request& request) {
  return plan_unary<op::Relu>(request, [](double x) { return x > 0 || std::isnan(x) ? x : 0.0; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ReluBackward&,
                                                    plugin::Request& request) {
  return plan_gradient<op::ReluBackward>(request, "y",
                                         [](double dy, double y) { return y <= 0 ? 0.0 : dy; });
}

}  // namespace backplane::reference
