// What avg_pool2d, adaptive_avg_pool2d and interpolate share: images made smaller or larger.
#pragma once

#include "check.hpp"
#include "plan.hpp"

namespace backplane::card {

// Checks x[N,C,H,W] and y[N,C,OH,OW], and takes their sizes; the rest is the operation's.
[[nodiscard]] Resample fit_images(const Check& check, const bp_tensor_desc& x,
                                  const bp_tensor_desc& y);

// Plans of the kernels `resample` and `resample_backward`.
struct ResampleRun {
  Nest nest;
  Resample resample;
  void forward(const Call& call) const;
  void backward(const Call& call) const;
};
[[nodiscard]] ResampleRun resample_run(const Resample& resample, const bp_tensor_desc& written,
                                       const bp_tensor_desc& read);

// geometry(check, x, y) gives the Resample.
template <class Op, class Geometry>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_resample(plugin::Request& request,
                                                          Geometry geometry) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x"}}, {{"y"}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  return make_plan<Op>(
      request, "gather kernel",
      [run = resample_run(geometry(check, x, y), y, x)](const Call& call) { run.forward(call); });
}

template <class Op, class Geometry>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_resample_backward(plugin::Request& request,
                                                                   Geometry geometry) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"dy"}}, {{"dx"}});
  const bp_tensor_desc &dy = request.inputs[0], &dx = request.outputs[0];
  return make_plan<Op>(request, "gather kernel",
                       [run = resample_run(geometry(check, dx, dy), dx, dy)](const Call& call) {
                         run.backward(call);
                       });
}

}  // namespace backplane::card
