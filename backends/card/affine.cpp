// affine: y = scale * x + shift.
#include <cmath>

#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

// A whole number that int64 holds.
bool is_whole(double value) {
  return std::trunc(value) == value && -0x1p63 <= value && value < 0x1p63;
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Affine&, plugin::Request& request) {
  Check check(op::row_of<op::Affine>, request);
  check.arguments({{"x", floats | integers}}, {{"y", floats | integers}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc& y = request.outputs[0];
  const auto enqueue = [integer = is_integer(y), walk = nest({&y, &request.inputs[0]}),
                        dtype = static_cast<i32>(y.dtype)](const Call& call) {
    const auto [scale, shift] = call.scalars<op::Affine>();
    const Memory dst = call.output(0), src = call.input(0);
    const Groups grid = items(walk.count);
    if (integer && is_whole(scale) && is_whole(shift)) {
      launch(call.queue, kernel::affine_integer, grid, walk, dst, src, dtype,
             static_cast<i64>(scale), static_cast<i64>(shift));
    } else {
      launch(call.queue, integer ? kernel::affine_rounded : kernel::affine_float, grid, walk, dst,
             src, dtype, scale, shift);
    }
  };
  return make_plan<op::Affine>(request, "elementwise kernel", enqueue);
}

}  // namespace backplane::card
