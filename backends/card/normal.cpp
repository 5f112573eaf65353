// normal: random numbers, normally distributed.
#include "check.hpp"
#include "draw.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Normal&, plugin::Request& request) {
  Check(op::row_of<op::Normal>, request).arguments({}, {{"y"}});
  return make_plan<op::Normal>(request, "elementwise kernel",
                               [walk = nest({&request.outputs[0]})](const Call& call) {
                                 const auto [draw, mean, deviation] = call.scalars<op::Normal>();
                                 launch(call.queue, kernel::normal, items((walk.count + 1) / 2),
                                        walk, draw_of(draw), call.output(0), mean, deviation);
                               });
}

}  // namespace backplane::card
