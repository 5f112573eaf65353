// normalize: bytes of an image to numbers around 0, channel by channel.
#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

// A value for each channel as a tensor of x's dims.
bp_tensor_desc along_channels(const bp_tensor_desc& each, const bp_tensor_desc& x) {
  bp_tensor_desc result = x;
  result.dtype = each.dtype;
  std::fill(std::begin(result.strides), std::end(result.strides), 0);
  result.strides[1] = each.strides[0];
  return result;
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Normalize&, plugin::Request& request) {
  Check check(op::row_of<op::Normalize>, request);
  check.arguments({{"x", only(BP_U8)}, {"mean"}, {"deviation"}}, {{"y"}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.that(x.rank >= 2, "x must have samples and channels, is " + describe(x));
  check.dims(request.inputs[1], "mean", {x.dims[1]});
  check.dims(request.inputs[2], "deviation", {x.dims[1]});
  check.same_dims(y, "y", x);
  const bp_tensor_desc mean = along_channels(request.inputs[1], x);
  const bp_tensor_desc deviation = along_channels(request.inputs[2], x);
  return make_plan<op::Normalize>(
      request, "elementwise kernel", [walk = nest({&y, &x, &mean, &deviation})](const Call& call) {
        launch(call.queue, kernel::normalize, items(walk.count), walk, call.output(0),
               call.input(0), call.input(1), call.input(2));
      });
}

}  // namespace backplane::card
