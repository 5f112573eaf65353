// cumsum: running sums along an axis; integers wrap.
#include "lines.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Cumsum& op, plugin::Request& request) {
  Check check(op::row_of<op::Cumsum>, request);
  check.arguments({{"x", floats | integers}}, {{"y", floats | integers}});
  check.one_type();
  check.one_shape();
  check.that(op.reverse <= 1, "reverse is 0 or 1, not " + std::to_string(op.reverse));
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const Lines lines = lines_along(check, op.axis, {&y, &x});
  return make_plan<op::Cumsum>(
      request, "line kernel",
      [lines, kernel = is_integer(y) ? kernel::cumsum_integer : kernel::cumsum_float,
       dtype = static_cast<i32>(y.dtype), reverse = op.reverse != 0](const Call& call) {
        launch(call.queue, kernel, lines.grid(), lines.lines, lines.elements, call.output(0),
               call.input(0), dtype, lines.lanes, reverse);
      });
}

}  // namespace backplane::card
