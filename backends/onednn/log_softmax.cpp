// log_softmax and its gradient.
#include "cpu/log_softmax.h"

#include "backend.hpp"
#include "rowwise.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LogSoftmax& op,
                                                 plugin::Request& request) {
  return plan_rowwise<op::LogSoftmax, 1>(
      request, op.axis, [](cpu::Rows rows, auto y, auto x) { cpu::log_softmax(rows, x, y); });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LogSoftmaxBackward& op,
                                                 plugin::Request& request) {
  return plan_rowwise<op::LogSoftmaxBackward, 2>(
      request, op.axis,
      [](cpu::Rows rows, auto dx, auto dy, auto y) { cpu::log_softmax_backward(rows, dy, y, dx); });
}

}  // namespace backplane::onednn
