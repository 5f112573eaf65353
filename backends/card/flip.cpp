// flip: a copy whose source is walked backwards.
#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Flip& op, plugin::Request& request) {
  Check check(op::row_of<op::Flip>, request);
  check.arguments({{"x", any_type}}, {{"y", any_type}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.that(op.axes >> x.rank == 0, "an axis is past the rank of " + describe(x));
  bp_tensor_desc backwards = x;
  i64 first = 0;
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((op.axes >> axis & 1) == 0) continue;
    first += (x.dims[axis] - 1) * x.strides[axis];
    backwards.strides[axis] = -x.strides[axis];
  }
  const auto bytes = static_cast<i32>(element_bytes(y.dtype));
  return make_plan<op::Flip>(
      request, "strided copy",
      [walk = nest({&y, &backwards}), start = first * bytes, bytes](const Call& call) {
        Memory last = call.input(0);
        last.offset += start;
        launch(call.queue, kernel::copy_bits, items(walk.count), walk, call.output(0), last, bytes);
      });
}

}  // namespace backplane::card
