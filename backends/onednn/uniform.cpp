// uniform: random numbers in an interval, the same bits as on every device.
#include "cpu/uniform.h"

#include "backend.hpp"
#include "check.hpp"
#include "draw.hpp"
#include "layout.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Uniform&, plugin::Request& request) {
  const Check check(op::row_of<op::Uniform>, request);
  check.inputs(0, 0);
  check.outputs(1, 1);
  bp_tensor_desc& y = request.outputs[0];
  check.dtype(y, "y", {BP_F32});
  if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
  if (!is_row_major(y)) throw check.unsupported("y is drawn in row-major order");
  const std::int64_t count = element_count(y), blocks = (count + 3) / 4;
  const unsigned parts = parts_for(count, request.threads);
  request.implementation = "vector loop";
  return make_plan(request, [=](const plugin::HostRun& run) {
    const auto scalars = plugin::read_scalars<op::Uniform>(run.run);
    float* dst = run.output<float>(0);
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(blocks, part, parts);
      for_each_stream(4 * mine.begin, std::min(count, 4 * mine.end),
                      [&](std::int64_t first, std::int64_t here) {
                        cpu::uniform(stream_of(scalars.draw, first, 0), first, here, scalars.low,
                                     scalars.high - scalars.low, dst + first);
                      });
    });
  });
}

}  // namespace backplane::onednn
