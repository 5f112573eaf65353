// From an operation and its tensors to a plan: keys, requests, and what the device answered.
#pragma once

#include <memory>
#include <span>

#include "dispatch/plan_cache.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {

[[nodiscard]] bp_tensor_desc describe_tensor(const TensorImpl& tensor);
[[nodiscard]] bp_tensor_desc describe_spec(const TensorSpec& spec);

// Bytes from the first element to the end of the last one; of a private layout, what it needs.
[[nodiscard]] std::uint64_t bytes_of(DeviceState& device, const bp_tensor_desc& desc);

// One question to a device, as descriptions on the border.
struct PlanQuestion {
  DeviceState& device;
  const Operation& operation;
  std::span<const bp_tensor_desc> inputs, outputs;
  std::uint32_t adds_to;
  bool strict;
  std::uint32_t threads;
  std::uint32_t prepares = 0;  // bit i: input i is kept, and may be put in the plan's own order once
};

// Asks the back end. A refusal is an entry as well: status and text say what it is.
[[nodiscard]] std::shared_ptr<PlanEntry> make_plan(const PlanQuestion& question);
// The cached answer to a question.
[[nodiscard]] std::shared_ptr<PlanEntry> find_plan(const PlanQuestion& question);

// Throws the refusal of an entry; says which other device could do it. `advice` closes the message.
[[noreturn]] void refuse(const PlanQuestion& question, const PlanEntry& entry,
                         std::string_view advice = {});

// The arguments of one execution. Without scratch memory of the caller's, some is taken for the run.
struct Execution {
  const PlanEntry& entry;
  const Operation& operation;
  std::span<const bp_arg> inputs, outputs;
  bp_arg workspace{}, prepared{};
};
// Whether BACKPLANE_LAUNCH_BLOCKING asks to wait for each operation, so that a fault names its own.
[[nodiscard]] bool launch_blocking();

// Enqueues on a stream; returns the number of the operation there.
std::uint64_t enqueue(const Execution& execution, const std::shared_ptr<StreamState>& stream);
// The same for a caller who holds the stream's mutex and has scratch memory.
std::uint64_t enqueue_locked(const Execution& execution, StreamState& stream);
// Puts the kept inputs into the plan's own order, in execution.prepared.
void enqueue_preparation(const Execution& execution, const std::shared_ptr<StreamState>& stream);

}  // namespace backplane::detail
