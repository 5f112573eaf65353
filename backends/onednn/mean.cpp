// mean over any axes.
#include "backend.hpp"
#include "sum.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Mean& op, plugin::Request& request) {
  return plan_sum(Check(op::row_of<op::Mean>, request), request, op.axes, Total::mean);
}

}  // namespace backplane::onednn
