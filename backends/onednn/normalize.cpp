// normalize: image bytes into floats, channel by channel.
#include "cpu/normalize.h"

#include "backend.hpp"
#include "check.hpp"
#include "elementwise.hpp"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Normalize&, plugin::Request& request) {
  const Check check(op::row_of<op::Normalize>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  bp_tensor_desc& x = request.inputs[0];
  bp_tensor_desc& y = request.outputs[0];
  check.dtype(x, "x", {BP_U8});
  check.dtype(y, "y", {BP_F32});
  check.same_dims(y, "y", x);
  check.that(x.rank >= 2, "x has samples and channels, it is " + describe(x));
  for (bp_tensor_desc& each : request.inputs.subspan(1)) {
    check.dtype(each, "mean and deviation", {BP_F32});
    check.dims(each, "mean and deviation", {x.dims[1]});
    if (!is_row_major(each)) set_row_major(each);
  }
  if (block_of(x) != 0) set_row_major(x);
  if (y.layout == BP_LAYOUT_ANY) set_like(y, x);
  if (block_of(y) != 0) throw check.unsupported("y is strided, not in a private layout");

  bp_tensor_desc source = x, target = y;  // one channel of each
  source.dims[1] = target.dims[1] = 1;
  const std::int64_t channels = x.dims[1], src_stride = x.strides[1], dst_stride = y.strides[1];
  const unsigned parts = parts_for(element_count(x), request.threads);
  request.implementation = "table";
  return make_plan(request, [=, nest = Nest({&target, &source})](const plugin::HostRun& run) {
    if (nest.elements() == 0) return;
    in_parallel(parts, [&](unsigned part) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        const cpu::Normalization exact{run.input<float>(1)[channel], run.input<float>(2)[channel]};
        const auto apply = [&](const auto& with) {
          nest.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
            cpu::normalize(plane, with,
                           strided(run.input<std::uint8_t>(0) + channel * src_stride, at[1]),
                           strided(run.output<float>(0) + channel * dst_stride, at[0]));
          });
        };
        if (nest.elements() > 256 * std::int64_t{parts}) {
          apply(cpu::NormalizationTable(exact));
        } else {
          apply(exact);
        }
      }
    });
  });
}

}  // namespace backplane::onednn
