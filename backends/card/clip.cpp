// gradient_norm, clip_by_norm and clip_by_value, over many gradients.
#include "multi_tensor.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::GradientNorm& op, plugin::Request& request) {
  Check check(op::row_of<op::GradientNorm>, request);
  check.multi_tensor(op.count, 1, 0, 0, 1);
  const MultiTensor tensors(check, request, op.count, 1, 0);
  std::vector<i64> first;  // of each tensor's sums
  i64 sums = 0;
  for (const bp_tensor_desc& tensor : request.inputs) {
    first.push_back(sums);
    sums += SQUARE_CHUNKS(element_count(tensor));
  }
  const std::uint64_t scratch = reserve(request, static_cast<std::uint64_t>(sums) * sizeof(float));
  return make_plan<op::GradientNorm>(
      request, "fixed tree", [tensors, first, sums, scratch](const Call& call) {
        struct NoScalars {};
        const auto sums_of = [&](std::size_t i) {
          return call.workspace(scratch + static_cast<std::uint64_t>(first[i]) * sizeof(float));
        };
        tensors.enqueue(
            call, kernel::square_sums, NoScalars{},
            [&](const Nest& walk, const auto& memory) {
              launch(call.queue, kernel::square_sums, groups(SQUARE_CHUNKS(walk.count)), walk,
                     memory[1], memory[0]);
            },
            sums_of);
        launch(call.queue, kernel::norm_of_sums, Groups{1}, call.output(0), call.workspace(scratch),
               sums);
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ClipByNorm& op, plugin::Request& request) {
  Check check(op::row_of<op::ClipByNorm>, request);
  check.multi_tensor(op.count, 1, 1, 1, 0);
  const MultiTensor tensors(check, request, op.count, 1, 1);
  return make_plan<op::ClipByNorm>(
      request, "optimizer kernel", [tensors, count = op.count](const Call& call) {
        const float max_norm = call.scalars<op::ClipByNorm>().max_norm;
        tensors.enqueue(
            call, kernel::clip_by_norm, max_norm,
            [&](const Nest& walk, const auto& memory) {
              launch(call.queue, kernel::clip_by_norm, items(walk.count), walk, memory[0],
                     memory[1], max_norm);
            },
            [&](std::size_t) { return call.input(count); });
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ClipByValue& op, plugin::Request& request) {
  Check check(op::row_of<op::ClipByValue>, request);
  check.multi_tensor(op.count, 1, 1);
  const MultiTensor tensors(check, request, op.count, 1, 1);
  return make_plan<op::ClipByValue>(request, "optimizer kernel", [tensors](const Call& call) {
    const float limit = call.scalars<op::ClipByValue>().limit;
    tensors.enqueue(call, kernel::clamp_float, limit, [&](const Nest& walk, const auto& memory) {
      launch(call.queue, kernel::clamp_float, items(walk.count), walk, memory[0], memory[0],
             i32{F32}, -limit, limit);
    });
  });
}

}  // namespace backplane::card
