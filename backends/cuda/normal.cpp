// normal: random numbers, normally distributed.
#include "check.hpp"
#include "device.hpp"
#include "draw.hpp"
#include "plan.hpp"

namespace backplane::cuda {

std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Normal&, plugin::Request& request) {
  Check(op::row_of<op::Normal>, request).arguments({}, {{"y"}});
  return make_plan<op::Normal>(request, "elementwise kernel",
                               [walk = nest({&request.outputs[0]})](const Call& call) {
                                 const auto [draw, mean, deviation] = call.scalars<op::Normal>();
                                 launch(call.queue, normal, items((walk.count + 1) / 2), walk,
                                        draw_of(draw), call.output(0), mean, deviation);
                               });
}

}  // namespace backplane::cuda
