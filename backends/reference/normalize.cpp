// normalize: bytes of an image to numbers around 0, channel by channel.
#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Normalize&,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Normalize>, request);
  check.arguments({{"x", only(BP_U8)}, {"mean", only(BP_F32)}, {"deviation", only(BP_F32)}},
                  {{"y", floating}});
  const bp_tensor_desc& x = request.inputs[0];
  check.that(x.rank >= 2,
             "x must have samples and channels, its rank is " + std::to_string(x.rank));
  const std::int64_t channels = x.dims[1];
  check.dims(request.inputs[1], "mean", {channels});
  check.dims(request.inputs[2], "deviation", {channels});
  check.same_dims(request.outputs[0], "y", x);
  std::int64_t plane_size = 1;
  for (std::uint32_t axis = 2; axis < x.rank; ++axis) plane_size *= x.dims[axis];
  return make_plan<op::Normalize>(request, [channels, plane_size](const Call& call) {
    auto y = call.load(0);
    const auto mean = call.load(1), deviation = call.load(2);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t c = i / plane_size % channels;
      y[i] = (y[i] / 255 - mean[c]) / deviation[c];
    }
    call.store(0, std::move(y));
  });
}

}  // namespace backplane::reference
