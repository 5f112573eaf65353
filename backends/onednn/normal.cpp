// normal: initial weights, by the shared definition itself: it runs once, and its logarithms decide
// the last bit.
#include "backend.hpp"
#include "backplane/plugin/philox.hpp"
#include "draw.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Normal&, plugin::Request& request) {
  const Check check(op::row_of<op::Normal>, request);
  const std::int64_t count = claim_drawn_output(check, request), blocks = (count + 1) / 2;
  const unsigned parts = parts_for(count, request.threads);
  request.implementation = "loop";
  return make_plan(request, [=](const plugin::HostRun& run) {
    const auto scalars = plugin::read_scalars<op::Normal>(run.run);
    float* dst = run.output<float>(0);
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(blocks, part, parts);
      const std::int64_t end = std::min(count, 2 * mine.end);
      for (std::int64_t i = 2 * mine.begin; i < end; ++i) {
        const float draw = philox::normal_at(scalars.draw, static_cast<std::uint64_t>(i), 0);
        dst[i] = scalars.mean + scalars.deviation * draw;
      }
    });
  });
}

}  // namespace backplane::onednn
