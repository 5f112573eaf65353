// fill: one value everywhere.
#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Fill&, plugin::Request& request) {
  Check(op::row_of<op::Fill>, request).arguments({}, {{"y", any_number}});
  const auto count = static_cast<std::size_t>(element_count(request.outputs[0]));
  return make_plan<op::Fill>(request, [count](const Call& call) {
    call.store(0, std::vector<double>(count, call.scalars<op::Fill>().value));
  });
}

}  // namespace backplane::reference
