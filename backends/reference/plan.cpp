// Binds a run to its plan, and computes it at once or hands it to a delayed queue.
#include "plan.hpp"

#include <algorithm>

#include "queue.hpp"

namespace backplane::reference {
namespace {

std::vector<Tensor> bind(const std::vector<bp_tensor_desc>& descs, const bp_arg* arguments) {
  std::vector<Tensor> tensors;
  tensors.reserve(descs.size());
  for (const bp_tensor_desc& desc : descs) {
    tensors.push_back({desc, plugin::host_pointer(*arguments++)});
  }
  return tensors;
}

}  // namespace

Call::Call(const ReferencePlan& plan, plugin::FaultRecord& faults, const bp_run& run)
    : faults(faults),
      sequence(run.sequence),
      inputs_(bind(plan.inputs_, run.inputs)),
      outputs_(bind(plan.outputs_, run.outputs)),
      scalars_(static_cast<const char*>(run.scalars),
               static_cast<const char*>(run.scalars) + run.scalar_bytes),
      adds_to_(plan.adds_to_) {
  char* prepared = plugin::host_pointer(run.prepared);
  for (const auto [input, at] : plan.kept_) inputs_[input].data = prepared + at;
}

ReferencePlan::ReferencePlan(const op::Row& row, std::uint32_t scalar_bytes,
                             plugin::Request& request)
    : row_(row),
      inputs_(request.inputs.begin(), request.inputs.end()),
      outputs_(request.outputs.begin(), request.outputs.end()),
      scalar_bytes_(scalar_bytes),
      adds_to_(request.adds_to) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::uint64_t bytes = span_bytes(inputs_[i]);
    if (!request.keeps(i) || bytes == 0) continue;
    kept_.push_back({i, request.prepared_bytes});
    constexpr std::uint64_t line = 64;
    request.prepared_bytes += (bytes + line - 1) / line * line;
  }
}

void ReferencePlan::check(const bp_run& run) const {
  check_memory(inputs_, run.inputs, run.input_count, "input");
  check_memory(outputs_, run.outputs, run.output_count, "output");
  if (run.scalar_bytes != scalar_bytes_) {
    throw plugin::invalid(std::string(row_.name) + ": a run brings " +
                          std::to_string(run.scalar_bytes) + " bytes of scalars, expected " +
                          std::to_string(scalar_bytes_));
  }
  check_kept(run);
}

void ReferencePlan::check_kept(const bp_run& run) const {
  if (!kept_.empty() && run.prepared.buffer == nullptr) {
    throw plugin::invalid(std::string(row_.name) +
                          ": the plan was made for inputs that are kept; prepare it, and bring "
                          "that memory to each run");
  }
}

// Memory that ends before its tensor does would be read or written past its end.
void ReferencePlan::check_memory(const std::vector<bp_tensor_desc>& descs, const bp_arg* arguments,
                                 std::uint32_t count, const std::string& what) const {
  if (count != descs.size()) {
    throw plugin::invalid(std::string(row_.name) + ": a run brings " + std::to_string(count) + " " +
                          what + "s, its plan has " + std::to_string(descs.size()));
  }
  for (std::size_t i = 0; i < descs.size(); ++i) {
    const std::uint64_t needed = span_bytes(descs[i]);
    const auto [handle, offset] = arguments[i];
    const auto* buffer =
        static_cast<plugin::HostBuffer*>(reinterpret_cast<plugin::Buffer*>(handle));
    const std::uint64_t bytes = buffer == nullptr ? 0 : buffer->bytes;
    const std::uint64_t available = bytes - std::min(bytes, offset);
    if (needed > available) {
      throw plugin::invalid(std::string(row_.name) + ": " + what + " " + std::to_string(i) +
                            " spans " + std::to_string(needed) + " bytes, its buffer has " +
                            std::to_string(available) + " from the offset on");
    }
  }
}

void ReferencePlan::run(plugin::Queue& queue, const bp_run& run) {
  check(run);
  if (auto* delayed = dynamic_cast<DelayedQueue*>(&queue)) {
    // The plan may be destroyed before the call is computed; the descriptions lie in it.
    delayed->submit([plan = shared_from_this(), this, call = Call(*this, delayed->faults, run)] {
      compute(call);
    });
  } else {
    compute(Call(*this, static_cast<plugin::InlineQueue&>(queue).faults, run));
  }
}

void ReferencePlan::prepare(plugin::Queue& queue, const bp_run& run) {
  check_kept(run);
  for (const auto [input, at] : kept_) {
    const auto copy = [from = plugin::host_pointer(run.inputs[input]),
                       to = plugin::host_pointer(run.prepared) + at,
                       bytes = span_bytes(inputs_[input])] { std::memcpy(to, from, bytes); };
    if (auto* delayed = dynamic_cast<DelayedQueue*>(&queue)) {
      delayed->submit(copy);
    } else {
      copy();
    }
  }
}

}  // namespace backplane::reference
