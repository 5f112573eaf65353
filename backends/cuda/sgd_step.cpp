// sgd_step: one step of gradient descent on many parameters.
#include "device.hpp"
#include "multi_tensor.hpp"

namespace backplane::cuda {

std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::SgdStep& op, plugin::Request& request) {
  Check check(op::row_of<op::SgdStep>, request);
  const std::uint32_t kept = op.momentum != 0 ? 1 : 0;
  check.multi_tensor(op.count, 2 + kept, 1 + kept);
  const MultiTensor tensors(check, request, op.count, 2 + kept);
  return make_plan<op::SgdStep>(request, "multi-tensor kernel", [tensors, op](const Call& call) {
    const auto s = call.scalars<op::SgdStep>();
    const SgdScalars scalars{s.rate,       s.momentum,       s.dampening,     s.weight_decay,
                             s.first != 0, op.momentum != 0, op.nesterov != 0};
    const Memory record = call.queue.record();
    tensors.enqueue(
        call,
        [&](Groups grid, const Batch& batch) {
          launch(call.queue, sgd_step_batch, grid, batch, scalars, record);
        },
        [&](const Nest& walk, const auto& memory) {
          launch(call.queue, sgd_step, items(walk.count), walk, scalars, memory[0], memory[1],
                 memory[2], record);
        });
  });
}

}  // namespace backplane::cuda
