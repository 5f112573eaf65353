// log_softmax and its gradient.
#include "lines.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::LogSoftmax& op, plugin::Request& request) {
  Check check(op::row_of<op::LogSoftmax>, request);
  check.arguments({{"x"}}, {{"y"}});
  check.one_shape();
  const Lines lines = lines_along(check, op.axis, {&request.outputs[0], &request.inputs[0]});
  return make_plan<op::LogSoftmax>(request, "line kernel", [lines](const Call& call) {
    launch(call.queue, kernel::log_softmax, lines.grid(), lines.lines, lines.elements,
           call.output(0), call.input(0), lines.lanes);
  });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::LogSoftmaxBackward& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::LogSoftmaxBackward>, request);
  check.arguments({{"dy"}, {"y"}}, {{"dx"}});
  check.one_shape();
  const Lines lines =
      lines_along(check, op.axis, {&request.outputs[0], &request.inputs[0], &request.inputs[1]});
  return make_plan<op::LogSoftmaxBackward>(request, "line kernel", [lines](const Call& call) {
    launch(call.queue, kernel::log_softmax_backward, lines.grid(), lines.lines, lines.elements,
           call.output(0), call.input(0), call.input(1), lines.lanes);
  });
}

}  // namespace backplane::card
