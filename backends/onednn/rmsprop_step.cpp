// rmsprop_step over all parameters.
#include "cpu/rmsprop_step.h"

#include "backend.hpp"
#include "multi_tensor.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::RmspropStep& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::RmspropStep>, request);
  const std::size_t count = op.count, centered = op.centered != 0, has_momentum = op.momentum != 0;
  const std::size_t kept = 2 + centered + has_momentum;
  const MultiTensor tensors(check, request, count, kept + 1, kept);
  request.implementation = "vector loop";
  return make_plan(request, [=](const plugin::HostRun& run) {
    const auto s = plugin::read_scalars<op::RmspropStep>(run.run);
    if (run.faults.set()) return;
    const cpu::Rmsprop rmsprop{s.rate, s.alpha, s.epsilon, s.weight_decay, s.momentum};
    tensors.run([&](std::size_t tensor, std::int64_t begin, std::int64_t elements) {
      const auto state = [&](std::size_t list) {
        return run.output<float>(list * count + tensor) + begin;
      };
      cpu::rmsprop_step(rmsprop, elements, state(0), run.input<float>(count + tensor) + begin,
                        state(1), centered != 0 ? state(2) : nullptr,
                        has_momentum != 0 ? state(2 + centered) : nullptr);
    });
  });
}

}  // namespace backplane::onednn
