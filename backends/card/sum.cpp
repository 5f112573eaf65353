// sum: over the axes whose bit is set; integers wrap.
#include "lines.hpp"
#include "plans.hpp"
#include "reduced.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Sum& op, plugin::Request& request) {
  Check check(op::row_of<op::Sum>, request);
  check.arguments({{"x", floats | integers}}, {{"y", floats | integers}});
  check.one_type();
  check_reduced(check, request.inputs[0], op.axes, request.outputs[0], "y");
  const Sum sum(request, op.axes, request.inputs[0], request.outputs[0]);
  return make_plan<op::Sum>(request, "fixed tree",
                            [sum, adds = request.adds_to != 0](const Call& call) {
                              sum.enqueue(call, call.output(0), call.input(0), adds);
                            });
}

}  // namespace backplane::card
