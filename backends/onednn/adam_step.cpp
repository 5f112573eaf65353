// adam_step over all parameters.
#include "cpu/adam_step.h"

#include "backend.hpp"
#include "multi_tensor.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::AdamStep& op, plugin::Request& request) {
  const Check check(op::row_of<op::AdamStep>, request);
  const MultiTensor tensors(check, request, op.count, 4, 3);
  request.implementation = "vector loop";
  return make_plan(
      request, [=, count = op.count, decoupled = op.decoupled != 0](const plugin::HostRun& run) {
        const auto scalars = plugin::read_scalars<op::AdamStep>(run.run);
        if (run.faults.set()) return;
        const cpu::Adam adam{
            scalars.rate,         scalars.beta1,       scalars.beta2,       scalars.epsilon,
            scalars.weight_decay, scalars.correction1, scalars.correction2, decoupled};
        tensors.run([&](std::size_t tensor, std::int64_t begin, std::int64_t elements) {
          cpu::adam_step(adam, elements, run.output<float>(tensor) + begin,
                         run.input<float>(count + tensor) + begin,
                         run.output<float>(count + tensor) + begin,
                         run.output<float>(2 * std::size_t{count} + tensor) + begin);
        });
      });
}

}  // namespace backplane::onednn
