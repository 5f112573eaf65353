// The one road that every operation takes.
#include "dispatch/dispatch.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "check.hpp"
#include "device/device_state.hpp"
#include "dispatch/autocast.hpp"
#include "dispatch/planning.hpp"
#include "observe/tell.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {
namespace {

// Most operations have few tensors; an optimizer's step has hundreds.
template <class T>
class Few {
 public:
  explicit Few(std::size_t count) : count_(count) {
    if (count > inline_.size()) heap_.resize(count);
  }
  [[nodiscard]] std::span<T> all() {
    return heap_.empty() ? std::span<T>(inline_.data(), count_) : std::span<T>(heap_);
  }

 private:
  std::size_t count_;
  std::array<T, 4> inline_;
  std::vector<T> heap_;
};

DeviceState& common_device(const Operation& operation, std::span<const Tensor> inputs,
                           std::span<const Tensor> outputs) {
  DeviceState* device = nullptr;
  for (const auto tensors : {inputs, outputs}) {
    for (const Tensor& tensor : tensors) {
      DeviceState& here = get(tensor, operation.name()).device();
      if (device != nullptr && device != &here) {
        reject("{}: operands are on {} and {}; move one with to(device)", operation.name(),
               device->name, here.name);
      }
      device = &here;
    }
  }
  if (device == nullptr)
    reject("{}: there is no tensor that says on which device", operation.name());
  if (device->backend == nullptr) {
    reject("{}: the host holds tensors but computes nothing; move them with to(device)",
           operation.name());
  }
  return *device;
}

Tensor make_output(const PlanEntry& entry, std::size_t i, DeviceState& device) {
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = std::make_shared<Storage>(device, entry.output_bytes[i]);
  const TensorSpec& spec = entry.outputs[i];
  impl->shape = spec.shape;
  impl->strides = spec.strides;
  impl->dtype = spec.dtype;
  impl->layout = spec.layout;
  return Tensor(std::move(impl));
}

// A copy in the layout that a plan wants.
Tensor reorder(const Tensor& tensor, const TensorSpec& wanted) {
  DeviceState& device = tensor.impl()->device();
  const Tensor copy = empty(wanted, Device(&device));
  run_in_place(Operation(op::Copy{}), std::array{plain_handle(tensor)}, std::array{copy});
  return copy;
}

struct Call {
  DeviceState& device;
  const Operation& operation;
  std::span<const Tensor> inputs;
};

// Runs a plan that was found, and tells the observers.
void execute(const Call& call, const PlanEntry& entry, std::span<const Tensor> outputs,
             std::uint32_t adds_to) {
  const std::shared_ptr<StreamState>& stream = current_stream(call.device);
  std::vector<Tensor> reordered;
  std::span<const Tensor> inputs = call.inputs;
  if (entry.reorders) {
    reordered.assign(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < reordered.size(); ++i) {
      if (entry.reorder[i]) reordered[i] = reorder(reordered[i], entry.inputs[i]);
    }
    inputs = reordered;
  }
  Few<bp_arg> input_args(inputs.size()), output_args(outputs.size());
  const auto collect = [&](std::span<const Tensor> tensors, std::span<bp_arg> args) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const TensorImpl& impl = *tensors[i].impl();
      impl.storage->note_use(stream);
      args[i] = impl.argument();
    }
  };
  collect(inputs, input_args.all());
  collect(outputs, output_args.all());

  if (!observers().empty()) tell_before(call.operation, call.inputs);
  const std::uint64_t sequence =
      enqueue({entry, call.operation, input_args.all(), output_args.all()}, stream);
  if (!observers().empty()) {
    tell_operation({call.operation, call.inputs, outputs, Stream(stream), entry.implementation,
                    sequence, adds_to});
  }
  if (launch_blocking()) stream->synchronize();
}

std::span<bp_tensor_desc> describe_all(std::span<const Tensor> tensors,
                                       std::span<bp_tensor_desc> into) {
  for (std::size_t i = 0; i < tensors.size(); ++i) into[i] = describe_tensor(*tensors[i].impl());
  return into;
}

PlanQuestion question(const Call& call, std::span<const bp_tensor_desc> inputs,
                      std::span<const bp_tensor_desc> outputs, std::uint32_t adds_to) {
  return {call.device, call.operation, inputs, outputs, adds_to, numerics() == Numerics::strict,
          threads()};
}

void run_fresh(const Call& call, std::span<const Output> wanted, std::span<Tensor> results) {
  Few<bp_tensor_desc> inputs(call.inputs.size()), outputs(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    outputs.all()[i] = describe_spec({wanted[i].dtype, wanted[i].shape, {}, BP_LAYOUT_ANY});
  }
  const PlanQuestion asked =
      question(call, describe_all(call.inputs, inputs.all()), outputs.all(), 0);
  const auto entry = find_plan(asked);
  if (entry->status != BP_OK) refuse(asked, *entry, autocast_advice(call.operation));
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = make_output(*entry, i, call.device);
  }
  execute(call, *entry, results, 0);
}

// For a device that can't write there directly: compute where it likes, then copy or add.
void run_beside(const Call& call, std::span<const Tensor> outputs, std::uint32_t adds_to) {
  std::vector<Output> wanted;
  for (const Tensor& output : outputs) wanted.push_back({output.dtype(), output.shape()});
  std::vector<Tensor> results(outputs.size());
  run_fresh(call, wanted, results);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if ((adds_to >> i & 1) != 0) {
      const std::array operands{outputs[i], results[i]};
      run_in_place(Operation(op::Add{}), operands, std::array{outputs[i]});
    } else {
      run_in_place(Operation(op::Copy{}), std::array{results[i]}, std::array{outputs[i]});
    }
  }
}

}  // namespace

Tensor run(const Operation& operation, std::initializer_list<Tensor> inputs, const Output& output) {
  const std::span<const Tensor> given(inputs.begin(), inputs.size());
  DeviceState& device = common_device(operation, given, {});
  const Operands operands(operation, given);
  Tensor result;
  run_fresh({device, operation, operands.all()}, {&output, 1}, {&result, 1});
  return result;
}

std::vector<Tensor> run(const Operation& operation, std::span<const Tensor> inputs,
                        std::span<const Output> outputs) {
  DeviceState& device = common_device(operation, inputs, {});
  const Operands operands(operation, inputs);
  std::vector<Tensor> results(outputs.size());
  run_fresh({device, operation, operands.all()}, outputs, results);
  return results;
}

void run_in_place(const Operation& operation, std::span<const Tensor> inputs,
                  std::span<const Tensor> outputs, std::uint32_t adds_to) {
  DeviceState& device = common_device(operation, inputs, outputs);
  const Operands operands(operation, inputs);
  const Call call{device, operation, operands.all()};
  Few<bp_tensor_desc> in(inputs.size()), out(outputs.size());
  const PlanQuestion asked = question(call, describe_all(call.inputs, in.all()),
                                      describe_all(outputs, out.all()), adds_to);
  const auto entry = find_plan(asked);
  // Multi-tensor steps change what they read: there is nothing to compute beside.
  const bool splits = entry->status == BP_UNSUPPORTED && !operation.row().variadic &&
                      operation.row().id != op::row_of<op::Copy>.id;
  if (entry->status == BP_OK) {
    execute(call, *entry, outputs, adds_to);
  } else if (splits) {
    run_beside(call, outputs, adds_to);
  } else {
    refuse(asked, *entry, autocast_advice(operation));
  }
  for (const Tensor& output : outputs) ++output.impl()->storage->version;
}

}  // namespace backplane::detail
