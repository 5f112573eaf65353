// dropout: each element stays, scaled, or becomes +0.
#include "check.hpp"
#include "draw.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Dropout& op, plugin::Request& request) {
  Check check(op::row_of<op::Dropout>, request);
  check.arguments({{"x"}}, {{"y"}});
  check.one_shape();
  const bp_tensor_desc& x = request.inputs[0];
  const i64 samples = x.rank == 0 ? 1 : x.dims[0];
  const i64 sample_size = samples == 0 ? 0 : element_count(x) / samples;
  const i64 blocks = (sample_size + 3) / 4;  // one draw gives four elements
  return make_plan<op::Dropout>(request, "elementwise kernel",
                                [walk = nest({&request.outputs[0], &x}), samples, sample_size,
                                 blocks, p = op.p](const Call& call) {
                                  launch(call.queue, kernel::dropout, items(samples * blocks), walk,
                                         draw_of(call.scalars<op::Dropout>()), call.output(0),
                                         call.input(0), samples, sample_size, p, 1.0 / (1.0 - p));
                                });
}

}  // namespace backplane::card
