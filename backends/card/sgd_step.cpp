// sgd_step: one step of gradient descent on many parameters.
#include "multi_tensor.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::SgdStep& op, plugin::Request& request) {
  Check check(op::row_of<op::SgdStep>, request);
  const std::uint32_t kept = op.momentum != 0 ? 1 : 0;
  check.multi_tensor(op.count, 2 + kept, 1 + kept);
  const MultiTensor tensors(check, request, op.count, 2 + kept, 1 + kept);
  return make_plan<op::SgdStep>(request, "optimizer kernel", [tensors, op](const Call& call) {
    const auto s = call.scalars<op::SgdStep>();
    const SgdScalars scalars{s.rate,       s.momentum,       s.dampening,     s.weight_decay,
                             s.first != 0, op.momentum != 0, op.nesterov != 0};
    const Memory record = call.queue.record();
    tensors.enqueue(call, kernel::sgd_step, scalars, [&](const Nest& walk, const auto& memory) {
      launch(call.queue, kernel::sgd_step, items(walk.count), walk, scalars, memory[0], memory[1],
             memory[2], record);
    });
  });
}

}  // namespace backplane::card
