// Plans that a program holds by itself.
#include "backplane/plan.hpp"

#include <algorithm>

#include "check.hpp"
#include "device/device_state.hpp"
#include "dispatch/planning.hpp"
#include "stream/stream_state.hpp"

namespace backplane {
namespace {

std::vector<bp_tensor_desc> describe_all(std::span<const TensorSpec> specs) {
  std::vector<bp_tensor_desc> descs;
  for (const TensorSpec& spec : specs) descs.push_back(detail::describe_spec(spec));
  return descs;
}

// As in "f32[2,3] with strides [3,1]", or "f32[2,3] in layout 2".
std::string describe(const TensorSpec& spec) {
  const std::string what = fmt::format("{}{}", to_string(spec.dtype), to_string(spec.shape));
  return spec.layout == BP_LAYOUT_STRIDED
             ? fmt::format("{} with strides {}", what, to_string(spec.strides))
             : fmt::format("{} in layout {}", what, spec.layout);
}

std::vector<bp_arg> arguments(const Operation& operation, std::span<const Tensor> tensors,
                              const std::vector<TensorSpec>& specs, const char* role,
                              const std::shared_ptr<detail::StreamState>& stream) {
  if (tensors.size() != specs.size()) {
    detail::reject("{}: the plan takes {} {}s, {} given", operation.name(), specs.size(), role,
                   tensors.size());
  }
  std::vector<bp_arg> args;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const detail::TensorImpl& impl = detail::get(tensors[i], operation.name());
    const TensorSpec& spec = specs[i];
    if (impl.dtype != spec.dtype || impl.shape != spec.shape || impl.strides != spec.strides ||
        impl.layout != spec.layout || &impl.device() != &stream->device) {
      detail::reject("{}: {} {} must be {} on {}, is {} on {}", operation.name(), role, i,
                     describe(spec), stream->device.name, describe(spec_of(tensors[i])),
                     impl.device().name);
    }
    impl.storage->note_use(stream);
    args.push_back(impl.argument());
  }
  return args;
}

// Only the scalars may differ from run to run.
void check_run(const detail::PlanEntry& entry, const Operation& operation) {
  const Operation& made_for = *entry.operation;
  if (entry.plan == nullptr) {
    detail::reject("{}: the plan went with the shutdown of {}; make a new one", made_for.name(),
                   entry.device->name);
  }
  const auto same_bytes = [](auto a, auto b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  if (operation.row().id != made_for.row().id) {
    detail::reject("{}: the plan was made for {}; make a plan for each", operation.name(),
                   made_for.name());
  }
  if (!same_bytes(operation.params(), made_for.params())) {
    detail::reject("{}: the plan was made for other parameters; make a plan for each",
                   operation.name());
  }
}

// What prepare() filled; nothing where the plan prepares nothing.
bp_arg prepared_memory(const detail::PlanEntry& entry, const Tensor& prepared,
                       const std::shared_ptr<detail::StreamState>& stream) {
  if (entry.prepared_bytes == 0) return {};
  const auto bytes = static_cast<std::int64_t>(entry.prepared_bytes);
  if (!prepared.defined() || prepared.dtype() != DType::u8 || prepared.count() != bytes) {
    detail::reject("{}: the plan was made for inputs that are kept, so each run takes the {} bytes "
                   "that prepare() gave; pass them",
                   entry.operation->name(), bytes);
  }
  const detail::TensorImpl& impl = *prepared.impl();
  impl.storage->note_use(stream);
  return impl.argument();
}

}  // namespace

TensorSpec spec_of(const Tensor& tensor) {
  const detail::TensorImpl& impl = detail::get(tensor, "spec_of");
  return {impl.dtype, impl.shape, impl.strides, impl.layout};
}

Plan::Plan(Device device, const Operation& operation, std::span<const TensorSpec> inputs,
           std::span<const TensorSpec> outputs, Options options)
    : device_(device) {
  if (device.is_host()) {
    detail::reject("plan: the host computes nothing; choose a device");
  }
  const auto in = describe_all(inputs), out = describe_all(outputs);
  const detail::PlanQuestion question{device.state(),  operation, in, out, options.adds_to,
                                      numerics() == Numerics::strict, threads(), options.prepares};
  entry_ = detail::make_plan(question);
  if (entry_->status != BP_OK) detail::refuse(question, *entry_);
  device.state().held_plans.add(entry_);
}

const std::vector<TensorSpec>& Plan::inputs() const noexcept { return entry_->inputs; }
const std::vector<TensorSpec>& Plan::outputs() const noexcept { return entry_->outputs; }
std::uint64_t Plan::workspace_bytes() const noexcept { return entry_->workspace_bytes; }
const std::string& Plan::implementation() const noexcept { return entry_->implementation; }

Tensor Plan::prepare(std::span<const Tensor> inputs) const {
  const Operation& operation = *entry_->operation;
  check_run(*entry_, operation);
  if (entry_->prepared_bytes == 0) return {};
  const auto& stream = detail::current_stream(device_.state());
  const auto in = arguments(operation, inputs, entry_->inputs, "input", stream);
  const Tensor memory = empty({static_cast<std::int64_t>(entry_->prepared_bytes)},
                              {.dtype = DType::u8, .device = device_});
  const bp_arg prepared = prepared_memory(*entry_, memory, stream);
  detail::enqueue_preparation({*entry_, operation, in, {}, {}, prepared}, stream);
  return memory;
}

void Plan::run(const Operation& operation, std::span<const Tensor> inputs,
               std::span<const Tensor> outputs, const Tensor& prepared) const {
  check_run(*entry_, operation);
  const auto& stream = detail::current_stream(device_.state());
  const auto in = arguments(operation, inputs, entry_->inputs, "input", stream);
  const auto out = arguments(operation, outputs, entry_->outputs, "output", stream);
  detail::enqueue({*entry_, operation, in, out, {}, prepared_memory(*entry_, prepared, stream)},
                  stream);
  for (const Tensor& output : outputs) ++output.impl()->storage->version;
}

}  // namespace backplane
