// avg_pool2d, adaptive_avg_pool2d and their gradients.
#include <algorithm>

#include "backend.hpp"
#include "resample.hpp"

namespace backplane::onednn {
namespace {

// Elements [begin, end) of x, each with the weight 1 / counted.
cpu::Taps mean_of(std::int64_t begin, std::int64_t end, std::int64_t counted) {
  const float weight = 1 / static_cast<float>(counted);
  return {begin, std::max<std::int64_t>(end - begin, 0), weight, weight};
}

// The windows of avg_pool2d.
struct Windows {
  op::AvgPool2dParams params;
  cpu::Taps operator()(int axis, std::int64_t in, std::int64_t, std::int64_t o) const {
    const std::int64_t first = o * params.stride[axis] - params.padding[axis];
    const std::int64_t last = std::min(first + params.kernel[axis], in + params.padding[axis + 2]);
    const std::int64_t begin = std::max<std::int64_t>(first, 0), end = std::min(last, in);
    return mean_of(begin, end, params.count_include_pad != 0 ? last - first : end - begin);
  }
};

// The parts of adaptive_avg_pool2d.
cpu::Taps part(int, std::int64_t in, std::int64_t out, std::int64_t o) {
  const std::int64_t begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
  return mean_of(begin, end, end - begin);
}

Windows windows_of(const op::Row& row, const plugin::Request& request,
                   const op::AvgPool2dParams& params) {
  const Check check(row, request);
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.kernel[axis] > 0 && params.stride[axis] > 0, "kernel and stride are 1 up");
    check.that(params.padding[axis] >= 0 && params.padding[axis + 2] >= 0,
               "padding is never negative");
  }
  return {params};
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::AvgPool2d& op,
                                                 plugin::Request& request) {
  const Windows windows = windows_of(op::row_of<op::AvgPool2d>, request, op);
  return plan_resample<op::AvgPool2d>(request, windows);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::AvgPool2dBackward& op,
                                                 plugin::Request& request) {
  const Windows windows = windows_of(op::row_of<op::AvgPool2dBackward>, request, op);
  return plan_resample_backward<op::AvgPool2dBackward>(request, windows);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::AdaptiveAvgPool2d&,
                                                 plugin::Request& request) {
  return plan_resample<op::AdaptiveAvgPool2d>(request, part);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::AdaptiveAvgPool2dBackward&,
                                                 plugin::Request& request) {
  return plan_resample_backward<op::AdaptiveAvgPool2dBackward>(request, part);
}

}  // namespace backplane::onednn
