// scale_shift: y = x * scale + shift.
#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::ScaleShift&, plugin::Request& request) {
  Check check(op::row_of<op::ScaleShift>, request);
  check.arguments({{"x", floats}, {"scale", floats}, {"shift", floats}}, {{"y", floats}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc& y = request.outputs[0];
  const Nest walk = nest({&y, &request.inputs[0], &request.inputs[1], &request.inputs[2]});
  return make_plan<op::ScaleShift>(
      request, "elementwise kernel", [walk, dtype = static_cast<i32>(y.dtype)](const Call& call) {
        launch(call.queue, kernel::scale_shift, items(walk.count), walk, call.output(0),
               call.input(0), call.input(1), call.input(2), dtype);
      });
}

}  // namespace backplane::card
