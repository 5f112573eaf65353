// standardize and its gradient.
#include "lines.hpp"
#include "plans.hpp"
#include "reduced.hpp"

namespace backplane::card {
std::unique_ptr<plugin::Plan> Plans::plan(const op::Standardize& op, plugin::Request& request) {
  Check check(op::row_of<op::Standardize>, request);
  check.arguments({{"x"}}, {{"y"}, {"mean"}, {"variance"}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const bp_tensor_desc &mean = request.outputs[1], &variance = request.outputs[2];
  check.same_dims(y, "y", x);
  check.that(op.epsilon >= 0, "epsilon must be a number from 0 on");
  check_reduced(check, x, op.axes, mean, "mean");
  check_reduced(check, x, op.axes, variance, "variance");
  const Nest elements = nest_over(op.axes, {&y, &x});
  const Lines lines{nest_over(~op.axes, {&y, &x, &mean, &variance}), elements,
                    lanes_for(elements.count)};
  return make_plan<op::Standardize>(
      request, "line kernel", [lines, epsilon = op.epsilon](const Call& call) {
        launch(call.queue, kernel::standardize, lines.grid(), lines.lines, lines.elements,
               call.output(0), call.output(1), call.output(2), call.input(0), epsilon, lines.lanes);
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::StandardizeBackward& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::StandardizeBackward>, request);
  check.arguments({{"dy"}, {"y"}, {"variance"}}, {{"dx"}});
  const bp_tensor_desc &dy = request.inputs[0], &y = request.inputs[1], &dx = request.outputs[0];
  const bp_tensor_desc& variance = request.inputs[2];
  check.same_dims(dy, "dy", dx);
  check.same_dims(y, "y", dx);
  check.that(op.epsilon >= 0, "epsilon must be a number from 0 on");
  check_reduced(check, dx, op.axes, variance, "variance");
  const Nest elements = nest_over(op.axes, {&dx, &dy, &y});
  const Lines lines{nest_over(~op.axes, {&dx, &dy, &y, &variance}), elements,
                    lanes_for(elements.count)};
  return make_plan<op::StandardizeBackward>(
      request, "line kernel", [lines, epsilon = op.epsilon](const Call& call) {
        launch(call.queue, kernel::standardize_backward, lines.grid(), lines.lines, lines.elements,
               call.output(0), call.input(0), call.input(1), call.input(2), epsilon, lines.lanes);
      });
}

}  // namespace backplane::card
