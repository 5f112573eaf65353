// add: y = a + b.
#include <functional>

#include "backend.hpp"
#include "elementwise.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Add&, plugin::Request& request) {
  return plan_binary<op::Add>(request, std::plus<>{});
}

}  // namespace backplane::reference
