// relu and its gradient.
#include "cpu/relu.h"

#include "backend.hpp"
#include "unary.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Relu&, plugin::Request& request) {
  return plan_unary<op::Relu>(
      request, [](cpu::Plane plane, auto src, auto dst) { cpu::relu(plane, src, dst); });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ReluBackward&,
                                                 plugin::Request& request) {
  return plan_gradient<op::ReluBackward>(
      request, "y", [](cpu::Plane plane, auto diff_dst, auto dst, auto diff_src) {
        cpu::relu_backward(plane, diff_dst, dst, diff_src);
      });
}

}  // namespace backplane::onednn
