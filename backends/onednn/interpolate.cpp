// interpolate and its gradient.
#include <algorithm>

#include "backend.hpp"
#include "resample.hpp"

namespace backplane::onednn {
namespace {

// The neighbours of each output, found in integers.
struct Neighbours {
  op::InterpolateParams params;
  cpu::Taps operator()(int, std::int64_t in, std::int64_t out, std::int64_t o) const {
    if (params.mode == op::Interpolation::nearest) return {o * in / out, 1, 1, 0};
    const bool corners = params.align_corners != 0;
    const std::int64_t unit = corners ? std::max<std::int64_t>(out - 1, 1) : 2 * out;
    const std::int64_t at = corners ? o * (in - 1) : (2 * o + 1) * in - out;
    const std::int64_t begin = std::max<std::int64_t>(at, 0) / unit, rest = at - begin * unit;
    if (begin >= in - 1) return {in - 1, 1, 1, 0};
    if (rest <= 0) return {begin, 1, 1, 0};
    return {begin, 2, static_cast<float>(unit - rest) / static_cast<float>(unit),
            static_cast<float>(rest) / static_cast<float>(unit)};
  }
};

Neighbours neighbours_of(const op::Row& row, const plugin::Request& request,
                         const op::InterpolateParams& params) {
  const Check check(row, request);
  check.that(params.mode <= op::Interpolation::bilinear, "the mode is nearest or bilinear");
  return {params};
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Interpolate& op,
                                                 plugin::Request& request) {
  const Neighbours neighbours = neighbours_of(op::row_of<op::Interpolate>, request, op);
  return plan_resample<op::Interpolate>(request, neighbours);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::InterpolateBackward& op,
                                                 plugin::Request& request) {
  const Neighbours neighbours = neighbours_of(op::row_of<op::InterpolateBackward>, request, op);
  return plan_resample_backward<op::InterpolateBackward>(request, neighbours);
}

}  // namespace backplane::onednn
