// dropout: each element stays, scaled, or becomes +0.
#include "backend.hpp"
#include "backplane/plugin/philox.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Dropout& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Dropout>, request);
  check.arguments({{"x", floating}}, {{"y", floating}});
  const bp_tensor_desc& x = request.inputs[0];
  check.same_dims(x, "x", request.outputs[0]);
  const std::int64_t samples = x.rank == 0 ? 1 : x.dims[0];
  const std::int64_t sample_size = samples == 0 ? 0 : element_count(x) / samples;
  return make_plan<op::Dropout>(request, [p = op.p, samples, sample_size](const Call& call) {
    const auto draw = call.scalars<op::Dropout>();
    auto y = call.load(0);
    double* value = y.data();
    for (std::int64_t s = 0; s < samples; ++s) {
      for (std::int64_t e = 0; e < sample_size; ++e, ++value) {
        const auto word = philox::word(draw, e, static_cast<std::uint32_t>(s));
        *value = philox::uniform(word) >= p ? *value / (1.0 - p) : 0.0;
      }
    }
    call.store(0, std::move(y));
  });
}

}  // namespace backplane::reference
