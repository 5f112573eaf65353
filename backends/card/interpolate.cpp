// interpolate and its gradient.
#include <algorithm>

#include "plans.hpp"
#include "resample.hpp"

namespace backplane::card {
namespace {

// Where outputs lie, as (step * output + offset) / unit.
struct Positions {
  op::InterpolateParams params;
  Resample operator()(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& y) const {
    check.that(params.mode <= op::Interpolation::bilinear, "the mode must be nearest or bilinear");
    Resample resample = fit_images(check, x, y);
    const bool nearest = params.mode == op::Interpolation::nearest;
    for (int axis = 0; axis < 2; ++axis) {
      const i64 in = resample.in[axis], out = resample.out[axis];
      check.that(in > 0 || element_count(y) == 0,
                 "an image without rows or columns has nothing to interpolate");
      resample.step[axis] = in;
      resample.unit[axis] = out;
      if (nearest) continue;
      if (params.align_corners != 0) {
        resample.step[axis] = out == 1 ? 0 : in - 1;
        resample.unit[axis] = std::max<i64>(out - 1, 1);
      } else {
        resample.step[axis] = 2 * in;
        resample.offset[axis] = in - out;
        resample.unit[axis] = 2 * out;
      }
    }
    resample.kind = nearest ? RESAMPLE_NEAREST : RESAMPLE_LINEAR;
    return resample;
  }
};

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Interpolate& op, plugin::Request& request) {
  return plan_resample<op::Interpolate>(request, Positions{op});
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::InterpolateBackward& op,
                                          plugin::Request& request) {
  return plan_resample_backward<op::InterpolateBackward>(request, Positions{op});
}

}  // namespace backplane::card
