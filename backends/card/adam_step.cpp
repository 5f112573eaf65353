// adam_step: one step of Adam or AdamW on many parameters.
#include "multi_tensor.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::AdamStep& op, plugin::Request& request) {
  Check check(op::row_of<op::AdamStep>, request);
  check.multi_tensor(op.count, 4, 3);
  const MultiTensor tensors(check, request, op.count, 4, 3);
  return make_plan<op::AdamStep>(request, "optimizer kernel", [tensors, op](const Call& call) {
    const auto s = call.scalars<op::AdamStep>();
    const AdamScalars scalars{s.rate,         s.beta1,       s.beta2,       s.epsilon,
                              s.weight_decay, s.correction1, s.correction2, op.decoupled != 0};
    const Memory record = call.queue.record();
    tensors.enqueue(call, kernel::adam_step, scalars, [&](const Nest& walk, const auto& memory) {
      launch(call.queue, kernel::adam_step, items(walk.count), walk, scalars, memory[0], memory[1],
             memory[2], memory[3], record);
    });
  });
}

}  // namespace backplane::card
