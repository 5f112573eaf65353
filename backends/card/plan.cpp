// Measures a run's buffers, so that no kernel reaches past their ends, and enqueues.
#include "plan.hpp"

namespace backplane::card {
namespace {

constexpr std::uint64_t workspace_alignment = 256;  // what BLAS libraries ask for

std::vector<std::uint64_t> spans_of(std::span<const bp_tensor_desc> descs) {
  std::vector<std::uint64_t> spans;
  for (const bp_tensor_desc& desc : descs) spans.push_back(span_bytes(desc));
  return spans;
}

void check_memory(const op::Row& row, const std::vector<std::uint64_t>& spans,
                  const bp_arg* arguments, std::uint32_t count, const char* what) {
  if (count != spans.size()) {
    throw plugin::invalid(std::string(row.name) + ": a run brings " + std::to_string(count) + " " +
                          what + ", its plan has " + std::to_string(spans.size()));
  }
  for (std::size_t i = 0; i < spans.size(); ++i) check_span(arguments[i], spans[i], row.name);
}

}  // namespace

std::uint64_t reserve(plugin::Request& request, std::uint64_t bytes) {
  const std::uint64_t first = request.workspace_bytes;
  const std::uint64_t end = first + bytes + workspace_alignment - 1;
  request.workspace_bytes = end / workspace_alignment * workspace_alignment;
  return first;
}

KernelPlan::KernelPlan(const op::Row& row, const plugin::Request& request)
    : row_(row),
      input_bytes_(spans_of(request.inputs)),
      output_bytes_(spans_of(request.outputs)),
      workspace_bytes_(request.workspace_bytes) {}

void KernelPlan::run(plugin::Queue& queue, const bp_run& run) {
  check_memory(row_, input_bytes_, run.inputs, run.input_count, "inputs");
  check_memory(row_, output_bytes_, run.outputs, run.output_count, "outputs");
  check_span(run.workspace, workspace_bytes_, row_.name);
  enqueue(Call(static_cast<Queue&>(queue), run));
}

}  // namespace backplane::card
