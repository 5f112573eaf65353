// dropout2d: each channel of each sample stays, scaled, or becomes +0.
#include "backend.hpp"
#include "backplane/plugin/philox.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

struct Sizes {
  std::int64_t samples, channels, plane;  // elements of one channel
};

void dropout2d(const Call& call, const Sizes& sizes, float p) {
  const auto draw = call.scalars<op::Dropout2d>();
  auto y = call.load(0);
  double* value = y.data();
  for (std::int64_t s = 0; s < sizes.samples; ++s) {
    for (std::int64_t c = 0; c < sizes.channels; ++c) {
      const auto word = philox::word(draw, c, static_cast<std::uint32_t>(s));
      const bool kept = philox::uniform(word) >= p;
      for (std::int64_t i = 0; i < sizes.plane; ++i, ++value) {
        *value = kept ? *value / (1.0 - p) : 0.0;
      }
    }
  }
  call.store(0, std::move(y));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Dropout2d& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Dropout2d>, request);
  check.arguments({{"x", floating}}, {{"y", floating}});
  const bp_tensor_desc& x = request.inputs[0];
  check.same_dims(x, "x", request.outputs[0]);
  check.that(x.rank >= 2,
             "x must have samples and channels, its rank is " + std::to_string(x.rank));
  Sizes sizes{x.dims[0], x.dims[1], 1};
  for (std::uint32_t axis = 2; axis < x.rank; ++axis) sizes.plane *= x.dims[axis];
  return make_plan<op::Dropout2d>(
      request, [sizes, p = op.p](const Call& call) { dropout2d(call, sizes, p); });
}

}  // namespace backplane::reference
