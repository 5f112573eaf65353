// top_k along one axis.
#include "lines.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::TopK& op, plugin::Request& request) {
  Check check(op::row_of<op::TopK>, request);
  check.arguments({{"x", floats | integers}},
                  {{"values", floats | integers}, {"positions", only(BP_I64)}});
  const bp_tensor_desc &x = request.inputs[0], &values = request.outputs[0];
  const bp_tensor_desc& positions = request.outputs[1];
  const std::int32_t axis = op.axis;
  check.that(0 <= axis && axis < static_cast<std::int32_t>(x.rank),
             "axis " + std::to_string(axis) + " is not one of " + describe(x));
  bp_tensor_desc first = x;
  first.dims[axis] = values.dims[axis];
  check.same_dims(values, "values", first);
  check.same_dims(positions, "positions", values);
  check.that(values.dtype == x.dtype,
             "x and values must have one type, got " + describe(x) + " and " + describe(values));
  const i64 length = x.dims[axis], wanted = values.dims[axis];
  check.that(wanted <= length, "asks for " + std::to_string(wanted) + " of " + describe(x));
  const i32 lanes = lanes_for(length);
  const Nest lines = nest_over(~(1u << axis), {&values, &positions, &x});
  return make_plan<op::TopK>(
      request, "line kernel",
      [lines, lanes, length, wanted, values_step = values.strides[axis],
       positions_step = positions.strides[axis], x_step = x.strides[axis],
       kernel = is_integer(x) ? kernel::top_k_integer : kernel::top_k_float,
       largest = static_cast<i32>(op.largest != 0),
       dtype = static_cast<i32>(x.dtype)](const Call& call) {
        launch(call.queue, kernel, wanted > 0 ? line_groups(lines.count, lanes) : 0, lines,
               call.output(0), call.output(1), call.input(0), values_step, positions_step, x_step,
               length, wanted, largest, dtype, lanes);
      });
}

}  // namespace backplane::card
