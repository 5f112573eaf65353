// uniform: random numbers in an interval, the same bits as on every device.
#include "cpu/uniform.h"

#include "backend.hpp"
#include "draw.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Uniform&, plugin::Request& request) {
  const Check check(op::row_of<op::Uniform>, request);
  const std::int64_t count = claim_drawn_output(check, request), blocks = (count + 3) / 4;
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
