// uniform: random numbers, evenly between two bounds.
#include "check.hpp"
#include "device.hpp"
#include "draw.hpp"
#include "plan.hpp"

namespace backplane::cuda {

std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Uniform&, plugin::Request& request) {
  Check(op::row_of<op::Uniform>, request).arguments({}, {{"y"}});
  return make_plan<op::Uniform>(request, "elementwise kernel",
                                [walk = nest({&request.outputs[0]})](const Call& call) {
                                  const auto [draw, low, high] = call.scalars<op::Uniform>();
                                  launch(call.queue, uniform, items((walk.count + 3) / 4), walk,
                                         draw_of(draw), call.output(0), low, high);
                                });
}

}  // namespace backplane::cuda
