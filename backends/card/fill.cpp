// fill: one value everywhere.
#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Fill&, plugin::Request& request) {
  Check check(op::row_of<op::Fill>, request);
  check.arguments({}, {{"y", any_type}});
  const bp_tensor_desc& y = request.outputs[0];
  return make_plan<op::Fill>(
      request, "elementwise kernel",
      [walk = nest({&y}), dtype = static_cast<i32>(y.dtype)](const Call& call) {
        launch(call.queue, kernel::fill, items(walk.count), walk, call.output(0), dtype,
               call.scalars<op::Fill>().value);
      });
}

}  // namespace backplane::card
