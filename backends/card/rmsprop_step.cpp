// rmsprop_step: one step of RMSprop on many parameters.
#include "multi_tensor.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::RmspropStep& op, plugin::Request& request) {
  Check check(op::row_of<op::RmspropStep>, request);
  const std::uint32_t centered = op.centered != 0 ? 1 : 0, momentum = op.momentum != 0 ? 1 : 0;
  const std::uint32_t kept = 2 + centered + momentum;
  check.multi_tensor(op.count, kept + 1, kept);
  const MultiTensor tensors(check, request, op.count, kept + 1, kept);
  return make_plan<op::RmspropStep>(
      request, "optimizer kernel", [tensors, centered, momentum](const Call& call) {
        const auto s = call.scalars<op::RmspropStep>();
        const RmspropScalars scalars{s.rate,
                                     s.alpha,
                                     s.epsilon,
                                     s.weight_decay,
                                     s.momentum,
                                     static_cast<i32>(centered),
                                     static_cast<i32>(momentum)};
        const Memory record = call.queue.record();
        tensors.enqueue(
            call, kernel::rmsprop_step, scalars, [&](const Nest& walk, const auto& memory) {
              launch(call.queue, kernel::rmsprop_step, items(walk.count), walk, scalars, memory[0],
                     memory[1], memory[2], memory[3], memory[3 + centered], record);
            });
      });
}

}  // namespace backplane::card
