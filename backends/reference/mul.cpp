// mul: y = a * b.
#include <functional>

#include "backend.hpp"
#include "elementwise.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Mul&, plugin::Request& request) {
  return plan_binary<op::Mul>(request, std::multiplies<>{});
}

}  // namespace backplane::reference
