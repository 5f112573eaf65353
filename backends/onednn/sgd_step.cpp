// sgd_step over all parameters.
#include "cpu/sgd_step.h"

#include "backend.hpp"
#include "multi_tensor.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::SgdStep& op, plugin::Request& request) {
  const Check check(op::row_of<op::SgdStep>, request);
  const bool has_momentum = op.momentum != 0, nesterov = op.nesterov != 0;
  const MultiTensor tensors(check, request, op.count, has_momentum ? 3 : 2, has_momentum ? 2 : 1);
  request.implementation = "vector loop";
  return make_plan(request, [=, count = op.count](const plugin::HostRun& run) {
    const auto scalars = plugin::read_scalars<op::SgdStep>(run.run);
    if (run.faults.set()) return;
    const cpu::Sgd sgd{scalars.rate, scalars.momentum, scalars.dampening, scalars.weight_decay,
                       has_momentum, nesterov,         scalars.first != 0};
    tensors.run([&](std::size_t tensor, std::int64_t begin, std::int64_t elements) {
      float* momentum = has_momentum ? run.output<float>(count + tensor) + begin : nullptr;
      cpu::sgd_step(sgd, elements, run.output<float>(tensor) + begin,
                    run.input<float>(count + tensor) + begin, momentum);
    });
  });
}

}  // namespace backplane::onednn
