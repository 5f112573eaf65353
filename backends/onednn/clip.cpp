// gradient_norm, clip_by_norm and clip_by_value, over all gradients.
#include "cpu/clip.h"

#include <cmath>

#include "backend.hpp"
#include "layout.hpp"
#include "multi_tensor.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

void check_norm(const Check& check, bp_tensor_desc& norm) {
  check.dtype(norm, "norm", {BP_F32});
  check.rank(norm, "norm", 0);
  if (norm.layout == BP_LAYOUT_ANY) set_row_major(norm);
}

}  // namespace

// Each piece has a sum of its own; they are added in order.
std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::GradientNorm& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::GradientNorm>, request);
  check.inputs(op.count, op.count);
  check.outputs(1, 1);
  check_norm(check, request.outputs[0]);
  for (bp_tensor_desc& tensor : request.inputs) {
    if (!is_dense(tensor)) set_row_major(tensor);
  }
  const MultiTensor tensors(check, request.inputs, {}, op.count, request.threads);
  request.workspace_bytes = tensors.pieces() * sizeof(double);
  request.implementation = "vector loop";
  return make_plan(request, [tensors](const plugin::HostRun& run) {
    auto* sums = run.workspace<double>();
    tensors.run_pieces(
        [&](std::size_t piece, std::size_t tensor, std::int64_t begin, std::int64_t elements) {
          sums[piece] = cpu::square_sum(elements, run.input<float>(tensor) + begin);
        });
    double total = 0;
    for (std::size_t piece = 0; piece < tensors.pieces(); ++piece) total += sums[piece];
    *run.output<float>(0) = static_cast<float>(std::sqrt(total));
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ClipByNorm& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::ClipByNorm>, request);
  const std::size_t count = op.count;
  check.inputs(count + 1, count + 1);
  check.outputs(count, count);
  check_norm(check, request.inputs[count]);
  const MultiTensor tensors(check, request.inputs.first(count), request.outputs, count,
                            request.threads);
  request.implementation = "vector loop";
  return make_plan(request, [tensors, count](const plugin::HostRun& run) {
    const float max_norm = plugin::read_scalars<op::ClipByNorm>(run.run).max_norm;
    const float factor = max_norm / (*run.input<float>(count) + 1e-6f);
    if (factor >= 1) return;  // and not where it is NaN
    tensors.run([&](std::size_t tensor, std::int64_t begin, std::int64_t elements) {
      cpu::scale_in_place(elements, factor, run.output<float>(tensor) + begin);
    });
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ClipByValue& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::ClipByValue>, request);
  const MultiTensor tensors(check, request, op.count, 1, 1);
  request.implementation = "vector loop";
  return make_plan(request, [tensors](const plugin::HostRun& run) {
    const float limit = plugin::read_scalars<op::ClipByValue>(run.run).limit;
    tensors.run([&](std::size_t tensor, std::int64_t begin, std::int64_t elements) {
      cpu::clamp_in_place(elements, limit, run.output<float>(tensor) + begin);
    });
  });
}

}  // namespace backplane::onednn
