// From an operation and its tensors to a plan.
#include "dispatch/planning.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "check.hpp"
#include "device/registry.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {
namespace {

void check_spec(const TensorSpec& spec) {
  const auto negative = [](std::int64_t size) { return size < 0; };
  if (std::any_of(spec.shape.begin(), spec.shape.end(), negative) ||
      std::any_of(spec.strides.begin(), spec.strides.end(), negative)) {
    reject("spec: sizes and strides can't be negative, got shape {} and strides {}",
           to_string(spec.shape), to_string(spec.strides));
  }
  if (spec.strides.rank() != 0 && spec.strides.rank() != spec.shape.rank()) {
    reject("spec: expects one stride for each axis or none, got shape {} and strides {}",
           to_string(spec.shape), to_string(spec.strides));
  }
}

bp_tensor_desc describe(DType dtype, const Shape& shape, const Strides& strides,
                        std::uint32_t layout) {
  bp_tensor_desc desc{};
  desc.dtype = static_cast<std::uint32_t>(dtype);
  desc.rank = static_cast<std::uint32_t>(shape.rank());
  std::copy(shape.begin(), shape.end(), desc.dims);
  desc.layout = layout;
  if (layout == BP_LAYOUT_STRIDED) std::copy(strides.begin(), strides.end(), desc.strides);
  return desc;
}

TensorSpec spec_from(const bp_tensor_desc& desc) {
  return {static_cast<DType>(desc.dtype), Shape(std::span(desc.dims, desc.rank)),
          Strides(std::span(desc.strides, desc.rank)), desc.layout};
}

bool same_layout(const bp_tensor_desc& a, const bp_tensor_desc& b) {
  if (a.layout != b.layout) return false;
  return std::equal(a.strides, a.strides + a.rank, b.strides);
}

void append(std::vector<std::uint64_t>& key, const bp_tensor_desc& desc) {
  key.push_back(desc.dtype | desc.rank << 8 | std::uint64_t{desc.layout} << 32);
  for (std::uint32_t i = 0; i < desc.rank; ++i) {
    key.push_back(static_cast<std::uint64_t>(desc.dims[i]));
  }
  if (desc.layout != BP_LAYOUT_STRIDED) return;
  for (std::uint32_t i = 0; i < desc.rank; ++i) {
    key.push_back(static_cast<std::uint64_t>(desc.strides[i]));
  }
}

KeyWords key_of(const PlanQuestion& q) {
  thread_local std::vector<std::uint64_t> key;
  key.clear();
  key.push_back(q.operation.row().id | std::uint64_t{q.adds_to} << 32);
  key.push_back(q.prepares);
  key.push_back(q.threads | std::uint64_t{q.strict} << 32 | q.inputs.size() << 40);
  const auto params = q.operation.params();
  for (std::size_t i = 0; i < params.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, params.data() + i, std::min(params.size() - i, sizeof word));
    key.push_back(word);
  }
  for (const auto& desc : q.inputs) append(key, desc);
  for (const auto& desc : q.outputs) append(key, desc);
  return key;
}

// A back end chooses strides and layouts, nothing else: what it changed beside would be read and
// written past its end.
void check_answer(const PlanQuestion& q, const bp_tensor_desc& asked, const bp_tensor_desc& got) {
  const bool same = got.dtype == asked.dtype && got.rank == asked.rank &&
                    std::equal(got.dims, got.dims + BP_MAX_RANK, asked.dims);
  const bool positive = std::none_of(got.strides, got.strides + BP_MAX_RANK,
                                     [](std::int64_t stride) { return stride < 0; });
  if (same && positive && got.layout != BP_LAYOUT_ANY) return;
  fail(ErrorCode::backend_failure,
       "{}: {} answered with {}; its author sets strides and layout only", q.device.name,
       q.operation.name(),
       !same      ? "another type or shape than it was asked for"
       : positive ? "a layout left open"
                  : "a negative stride");
}

void take_answer(PlanEntry& entry, const PlanQuestion& q, std::span<const bp_tensor_desc> inputs,
                 std::span<const bp_tensor_desc> outputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_answer(q, q.inputs[i], inputs[i]);
    entry.inputs.push_back(spec_from(inputs[i]));
    entry.reorder.push_back(!same_layout(inputs[i], q.inputs[i]));
    entry.reorders = entry.reorders || entry.reorder.back();
  }
  if (entry.reorders && q.operation.row().id == op::row_of<op::Copy>.id) {
    fail(ErrorCode::backend_failure,
         "{}: copy asks for its input to be reordered, which is what copy does; its author takes "
         "every layout",
         q.device.name);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_answer(q, q.outputs[i], outputs[i]);
    entry.outputs.push_back(spec_from(outputs[i]));
    entry.output_bytes.push_back(bytes_of(q.device, outputs[i]));
  }
}

}  // namespace

std::uint64_t bytes_of(DeviceState& device, const bp_tensor_desc& desc) {
  if (desc.layout >= BP_LAYOUT_PRIVATE) {
    bp_layout_info info{};
    info.struct_size = sizeof info;
    check(device.table().layout_info(device.handle(), &desc, &info), *device.backend, device.name);
    return info.bytes;
  }
  std::int64_t last = 0;
  for (std::uint32_t i = 0; i < desc.rank; ++i) {
    if (desc.dims[i] == 0) return 0;
    last += (desc.dims[i] - 1) * desc.strides[i];
  }
  return static_cast<std::uint64_t>(last + 1) * size_of(static_cast<DType>(desc.dtype));
}

bp_tensor_desc describe_tensor(const TensorImpl& tensor) {
  return describe(tensor.dtype, tensor.shape, tensor.strides, tensor.layout);
}

bp_tensor_desc describe_spec(const TensorSpec& spec) {
  check_spec(spec);
  const bool dense = spec.strides.rank() == 0 && spec.shape.rank() != 0;
  return describe(spec.dtype, spec.shape, dense ? row_major(spec.shape) : spec.strides,
                  spec.layout);
}

std::shared_ptr<PlanEntry> make_plan(const PlanQuestion& q) {
  std::vector<bp_tensor_desc> inputs(q.inputs.begin(), q.inputs.end());
  std::vector<bp_tensor_desc> outputs(q.outputs.begin(), q.outputs.end());
  bp_plan_request request{};
  request.struct_size = sizeof request;
  request.numerics = q.strict ? BP_NUMERICS_STRICT : BP_NUMERICS_STANDARD;
  request.threads = q.threads;
  request.adds_to = q.adds_to;
  request.prepares = q.device.table().plan_prepare != nullptr ? q.prepares : 0;
  const auto params = q.operation.params();
  request.op = {q.operation.row().id, static_cast<std::uint32_t>(params.size()), params.data(),
                q.operation.row().name};
  request.inputs = inputs.data();
  request.outputs = outputs.data();
  request.input_count = static_cast<std::uint32_t>(inputs.size());
  request.output_count = static_cast<std::uint32_t>(outputs.size());

  auto entry = std::make_shared<PlanEntry>();
  entry->device = &q.device;
  entry->operation = q.operation;
  const bp_backend& table = q.device.table();
  entry->status = table.plan_create(q.device.handle(), &request, &entry->plan);
  if (entry->status != BP_OK) {
    entry->plan = nullptr;
    const char* said = table.last_error();
    entry->refusal = said != nullptr && *said != '\0' ? said : "the back end gave no reason";
    return entry;
  }
  check_made(BP_OK, entry->plan, *q.device.backend,
             fmt::format("{}: {}", q.device.name, q.operation.name()));
  entry->workspace_bytes = request.workspace_bytes;
  entry->prepared_bytes = request.prepared_bytes;
  entry->implementation.assign(request.implementation,
                               strnlen(request.implementation, sizeof request.implementation));
  take_answer(*entry, q, inputs, outputs);
  return entry;
}

std::shared_ptr<PlanEntry> find_plan(const PlanQuestion& q) {
  return q.device.plans.find_or_make(key_of(q), [&] { return make_plan(q); });
}

namespace {

// Other devices that would run it, as in "; possible on cuda:0". Private layouts mean nothing
// there.
std::string alternatives(const PlanQuestion& q) {
  const auto is_private = [](const auto& desc) { return desc.layout >= BP_LAYOUT_PRIVATE; };
  if (std::any_of(q.inputs.begin(), q.inputs.end(), is_private) ||
      std::any_of(q.outputs.begin(), q.outputs.end(), is_private)) {
    return "";
  }
  std::string names;
  for (const auto& other : Registry::instance().devices()) {
    if (other.get() == &q.device) continue;
    try {
      const PlanQuestion same{*other,    q.operation, q.inputs, q.outputs,
                              q.adds_to, q.strict,    q.threads};
      if (make_plan(same)->status != BP_OK) continue;
    } catch (const Error&) {  // a device that can't even be asked is no alternative
      continue;
    }
    names += (names.empty() ? "; possible on " : ", ") + other->name;
  }
  return names;
}

}  // namespace

void refuse(const PlanQuestion& q, const PlanEntry& entry, std::string_view advice) {
  fail(code_of(entry.status), "{} cannot run {}: {}{}{}", q.device.name, q.operation.name(),
       entry.refusal, entry.status == BP_UNSUPPORTED ? alternatives(q) : "", advice);
}

namespace {

bp_run describe_run(const Execution& e) {
  const auto scalars = e.operation.scalars();
  bp_run run{};
  run.struct_size = sizeof run;
  run.input_count = static_cast<std::uint32_t>(e.inputs.size());
  run.output_count = static_cast<std::uint32_t>(e.outputs.size());
  run.scalar_bytes = static_cast<std::uint32_t>(scalars.size());
  run.inputs = e.inputs.data();
  run.outputs = e.outputs.data();
  run.scalars = scalars.data();
  run.workspace = e.workspace;
  run.prepared = e.prepared;
  return run;
}

}  // namespace

bool launch_blocking() {
  static const bool asked = [] {
    const char* value = std::getenv("BACKPLANE_LAUNCH_BLOCKING");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return asked;
}

std::uint64_t enqueue_locked(const Execution& e, StreamState& stream) {
  const DeviceState& device = stream.device;
  bp_run run = describe_run(e);
  run.sequence = stream.next_operation(e.operation.row().name);
  const bp_status status = device.table().plan_run(e.entry.plan, stream.open_queue(), &run);
  if (status != BP_OK) {
    check(status, *device.backend, fmt::format("{}: {} failed", device.name, e.operation.name()));
  }
  return run.sequence;
}

std::uint64_t enqueue(const Execution& e, const std::shared_ptr<StreamState>& stream) {
  std::unique_ptr<Storage> workspace;
  bp_arg scratch = e.workspace;
  if (e.entry.workspace_bytes != 0 && scratch.buffer == nullptr) {
    workspace = std::make_unique<Storage>(stream->device, e.entry.workspace_bytes);
    workspace->note_use(stream);
    scratch = workspace->at(0);
  }
  const std::scoped_lock lock(stream->mutex);
  return enqueue_locked({e.entry, e.operation, e.inputs, e.outputs, scratch, e.prepared}, *stream);
}

void enqueue_preparation(const Execution& e, const std::shared_ptr<StreamState>& stream) {
  DeviceState& device = stream->device;
  const bp_run run = describe_run(e);
  const std::scoped_lock lock(stream->mutex);
  const bp_status status = device.table().plan_prepare(e.entry.plan, stream->open_queue(), &run);
  if (status == BP_OK) return;
  check(status, *device.backend,
        fmt::format("{}: preparing {} failed", device.name, e.operation.name()));
}

}  // namespace backplane::detail
