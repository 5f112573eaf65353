// mean: the sum over the axes whose bit is set, divided by how many elements it has.
#include "lines.hpp"
#include "plans.hpp"
#include "reduced.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Mean& op, plugin::Request& request) {
  Check check(op::row_of<op::Mean>, request);
  check.arguments({{"x", floats}}, {{"y", floats}});
  check.one_type();
  check_reduced(check, request.inputs[0], op.axes, request.outputs[0], "y");
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const i64 summands = nest_over(op.axes, {&x}).count;  // 0: the mean is 0 / 0, a NaN
  const Sum sum(request, op.axes, x, y, static_cast<double>(summands));
  return make_plan<op::Mean>(request, "fixed tree", [sum](const Call& call) {
    sum.enqueue(call, call.output(0), call.input(0), false);
  });
}

}  // namespace backplane::card
