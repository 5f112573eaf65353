// gather along one axis.
#include <algorithm>

#include "plans.hpp"
#include "range.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Gather& op, plugin::Request& request) {
  Check check(op::row_of<op::Gather>, request);
  check.arguments({{"x", any_type}, {"index", only(BP_I64)}}, {{"y", any_type}});
  const bp_tensor_desc &x = request.inputs[0], &index = request.inputs[1];
  const bp_tensor_desc& y = request.outputs[0];
  check_index(check, x, index, op.axis);
  check.same_dims(y, "y", index);
  check.that(x.dtype == y.dtype,
             "x and y must have one type, got " + describe(x) + " and " + describe(y));
  bp_tensor_desc starts = y;  // where in x each element of y counts from
  std::copy(x.strides, x.strides + x.rank, starts.strides);
  starts.strides[op.axis] = 0;
  const i64 limit = x.dims[op.axis];
  return make_plan<op::Gather>(
      request, "elementwise kernel",
      [walk = nest({&y, &starts, &index}), range = RangeCheck(index, limit), limit,
       step = x.strides[op.axis],
       bytes = static_cast<i32>(element_bytes(y.dtype))](const Call& call) {
        launch(call.queue, kernel::gather, items(walk.count), walk, call.output(0), call.input(0),
               call.input(1), step, limit, bytes);
        range.enqueue(call, call.input(1));
      });
}

}  // namespace backplane::card
