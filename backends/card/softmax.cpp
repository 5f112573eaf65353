// softmax and its gradient.
#include "lines.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Softmax& op, plugin::Request& request) {
  Check check(op::row_of<op::Softmax>, request);
  check.arguments({{"x"}}, {{"y"}});
  check.one_shape();
  const Lines lines = lines_along(check, op.axis, {&request.outputs[0], &request.inputs[0]});
  return make_plan<op::Softmax>(request, "line kernel", [lines](const Call& call) {
    launch(call.queue, kernel::softmax, lines.grid(), lines.lines, lines.elements, call.output(0),
           call.input(0), lines.lanes);
  });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::SoftmaxBackward& op, plugin::Request& request) {
  Check check(op::row_of<op::SoftmaxBackward>, request);
  check.arguments({{"dy"}, {"y"}}, {{"dx"}});
  check.one_shape();
  const Lines lines =
      lines_along(check, op.axis, {&request.outputs[0], &request.inputs[0], &request.inputs[1]});
  return make_plan<op::SoftmaxBackward>(request, "line kernel", [lines](const Call& call) {
    launch(call.queue, kernel::softmax_backward, lines.grid(), lines.lines, lines.elements,
           call.output(0), call.input(0), call.input(1), lines.lanes);
  });
}

}  // namespace backplane::card
