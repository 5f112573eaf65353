// dropout2d: each channel of each sample stays, scaled, or becomes +0.
#include "check.hpp"
#include "draw.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Dropout2d& op, plugin::Request& request) {
  Check check(op::row_of<op::Dropout2d>, request);
  check.arguments({{"x"}}, {{"y"}});
  check.one_shape();
  const bp_tensor_desc& x = request.inputs[0];
  check.that(x.rank >= 2, "x must have samples and channels, is " + describe(x));
  const i64 samples = x.dims[0], channels = x.dims[1], planes = samples * channels;
  const i64 plane_size = planes == 0 ? 0 : element_count(x) / planes;
  return make_plan<op::Dropout2d>(request, "channel kernel",
                                  [walk = nest({&request.outputs[0], &x}), samples, channels,
                                   planes, plane_size, p = op.p](const Call& call) {
                                    launch(call.queue, kernel::dropout2d, groups(planes), walk,
                                           draw_of(call.scalars<op::Dropout2d>()), call.output(0),
                                           call.input(0), samples, channels, plane_size, p,
                                           1.0 / (1.0 - p));
                                  });
}

}  // namespace backplane::card
