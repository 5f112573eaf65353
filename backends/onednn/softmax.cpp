// softmax and its gradient.
#include "cpu/softmax.h"

#include "backend.hpp"
#include "rowwise.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Softmax& op, plugin::Request& request) {
  return plan_rowwise<op::Softmax, 1>(
      request, op.axis, [](cpu::Rows rows, auto y, auto x) { cpu::softmax(rows, x, y); });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::SoftmaxBackward& op,
                                                 plugin::Request& request) {
  return plan_rowwise<op::SoftmaxBackward, 2>(
      request, op.axis,
      [](cpu::Rows rows, auto dx, auto dy, auto y) { cpu::softmax_backward(rows, dy, y, dx); });
}

}  // namespace backplane::onednn
