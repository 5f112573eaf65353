// arg_max: where along an axis the maximum stands.
#include "lines.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::ArgMax& op, plugin::Request& request) {
  Check check(op::row_of<op::ArgMax>, request);
  check.arguments({{"x", floats | integers}}, {{"y", only(BP_I64)}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  // x goes first: only its dims say how long a line is.
  const Lines by_x = lines_along(check, op.axis, {&x, &x});
  bp_tensor_desc reduced = x;
  reduced.dims[op.axis] = 1;
  check.same_dims(y, "y", reduced);
  const Nest lines = nest_over(~(1u << op.axis), {&y, &x});
  check.that(by_x.elements.count > 0 || lines.count == 0, "an empty axis has no maximum");
  return make_plan<op::ArgMax>(
      request, "line kernel",
      [lines, by_x, kernel = is_integer(x) ? kernel::arg_max_integer : kernel::arg_max_float,
       dtype = static_cast<i32>(x.dtype)](const Call& call) {
        launch(call.queue, kernel, by_x.grid(), lines, by_x.elements, call.output(0), call.input(0),
               dtype, by_x.lanes);
      });
}

}  // namespace backplane::card
