// arg_max and arg_min: where along an axis the extremum stands.
#include "lines.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

template <class Op>
std::unique_ptr<plugin::Plan> plan_position(plugin::Request& request, std::int32_t axis,
                                            bool smallest) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x", floats | integers}}, {{"y", only(BP_I64)}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  // x goes first: only its dims say how long a line is.
  const Lines by_x = lines_along(check, axis, {&x, &x});
  bp_tensor_desc reduced = x;
  reduced.dims[axis] = 1;
  check.same_dims(y, "y", reduced);
  const Nest lines = nest_over(~(1u << axis), {&y, &x});
  check.that(by_x.elements.count > 0 || lines.count == 0,
             "there is no element to choose along the axis");
  return make_plan<Op>(request, "line kernel",
                       [lines, by_x, smallest,
                        kernel = is_integer(x) ? kernel::arg_max_integer : kernel::arg_max_float,
                        dtype = static_cast<i32>(x.dtype)](const Call& call) {
                         launch(call.queue, kernel, by_x.grid(), lines, by_x.elements,
                                call.output(0), call.input(0), dtype, by_x.lanes, smallest);
                       });
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::ArgMax& op, plugin::Request& request) {
  return plan_position<op::ArgMax>(request, op.axis, false);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ArgMin& op, plugin::Request& request) {
  return plan_position<op::ArgMin>(request, op.axis, true);
}

}  // namespace backplane::card
