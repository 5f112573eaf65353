// uniform: random numbers, evenly between two bounds.
#include "check.hpp"
#include "draw.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Uniform&, plugin::Request& request) {
  Check(op::row_of<op::Uniform>, request).arguments({}, {{"y"}});
  return make_plan<op::Uniform>(request, "elementwise kernel",
                                [walk = nest({&request.outputs[0]})](const Call& call) {
                                  const auto [draw, low, high] = call.scalars<op::Uniform>();
                                  launch(call.queue, kernel::uniform, items((walk.count + 3) / 4),
                                         walk, draw_of(draw), call.output(0), low, high);
                                });
}

}  // namespace backplane::card
