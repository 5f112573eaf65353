// avg_pool2d, adaptive_avg_pool2d and their gradients.
#include "plans.hpp"
#include "resample.hpp"

namespace backplane::card {
namespace {

// The windows of avg_pool2d.
struct Windows {
  op::AvgPool2dParams params;
  Resample operator()(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& y) const {
    Resample resample = fit_images(check, x, y);
    for (int axis = 0; axis < 2; ++axis) {
      check.that(params.kernel[axis] > 0 && params.stride[axis] > 0,
                 "kernel and stride must be at least 1");
      check.that(params.padding[axis] >= 0 && params.padding[axis + 2] >= 0,
                 "padding must not be negative");
      resample.step[axis] = params.stride[axis];
      resample.offset[axis] = -params.padding[axis];
      resample.window[axis] = params.kernel[axis];
      resample.padded_end[axis] = x.dims[2 + axis] + params.padding[axis + 2];
    }
    resample.kind = RESAMPLE_WINDOWS;
    resample.count_include_pad = params.count_include_pad != 0 ? 1 : 0;
    return resample;
  }
};

// The parts of adaptive_avg_pool2d.
struct Parts {
  Resample operator()(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& y) const {
    Resample resample = fit_images(check, x, y);
    for (int axis = 0; axis < 2; ++axis) {
      resample.step[axis] = resample.in[axis];
      resample.unit[axis] = resample.out[axis];
    }
    resample.kind = RESAMPLE_PARTS;
    return resample;
  }
};

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::AvgPool2d& op, plugin::Request& request) {
  return plan_resample<op::AvgPool2d>(request, Windows{op});
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::AvgPool2dBackward& op,
                                          plugin::Request& request) {
  return plan_resample_backward<op::AvgPool2dBackward>(request, Windows{op});
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::AdaptiveAvgPool2d&, plugin::Request& request) {
  return plan_resample<op::AdaptiveAvgPool2d>(request, Parts{});
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::AdaptiveAvgPool2dBackward&,
                                          plugin::Request& request) {
  return plan_resample_backward<op::AdaptiveAvgPool2dBackward>(request, Parts{});
}

}  // namespace backplane::card
