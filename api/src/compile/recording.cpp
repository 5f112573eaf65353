// Records the operations of one call as a graph.
#include "compile/recording.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "check.hpp"
#include "device/device_state.hpp"
#include "dispatch/autocast.hpp"
#include "dispatch/planning.hpp"
#include "memory/storage.hpp"
#include "stream/stream_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {
namespace {

Recording*& slot() noexcept {
  thread_local Recording* recording = nullptr;
  return recording;
}

bool begins_with_draw(const Operation& operation) {
  return operation.as<op::Dropout>() || operation.as<op::Dropout2d>() ||
         operation.as<op::Uniform>() || operation.as<op::Normal>();
}

}  // namespace

Recording* current_recording() noexcept {
  return slot();
}

Recording::Recording(std::span<const Tensor> arguments)
    : first_serial_(Storage::last_serial().load() + 1),
      generator_(generator_state()),
      guard_(*this),
      watch_([this](const Layer& layer, const Tensor& result) {
        recorded_.host.layers.emplace_back(&layer, layer.training());
        if (outer_watch_ != nullptr) (*outer_watch_)(layer, result);
      }),
      arguments_(arguments.begin(), arguments.end()) {
  forget_narrow_copies();  // a repetition converts anew
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const TensorImpl& impl = *arguments_[i].impl();
    numbers_.emplace(impl.storage->serial, static_cast<std::uint32_t>(i));
    const std::uint64_t bytes = impl.layout == BP_LAYOUT_STRIDED
                                    ? bytes_of(impl.device(), describe_tensor(impl))
                                    : impl.storage->bytes - impl.byte_offset();
    recorded_.graph.add_storage({.kind = GraphStorage::Kind::argument,
                                 .bytes = bytes,
                                 .argument = static_cast<std::uint32_t>(i)});
    alive_.push_back(impl.storage);
  }
  outer_watch_ = std::exchange(layer_watch(), &watch_);
  slot() = this;
}

Recording::~Recording() {
  forget_narrow_copies();
  slot() = nullptr;
  layer_watch() = outer_watch_;
}

std::string Recording::place() const {
  const Graph& graph = recorded_.graph;
  if (graph.steps.empty()) return "before its first operation";
  return fmt::format("after operation {}, {}", graph.steps.size() - 1,
                     graph.steps.back().operation.name());
}

std::uint32_t Recording::storage_of(const TensorImpl& impl) {
  const std::shared_ptr<Storage>& storage = impl.storage;
  Graph& graph = recorded_.graph;
  const auto [place, fresh] =
      numbers_.try_emplace(storage->serial, static_cast<std::uint32_t>(graph.storages.size()));
  if (fresh) {
    const bool internal = storage->serial >= first_serial_;
    graph.add_storage(
        {.kind = internal ? GraphStorage::Kind::internal : GraphStorage::Kind::outside,
         .bytes = storage->bytes,
         .memory = internal ? nullptr : storage});
    alive_.push_back(storage);
  }
  return place->second;
}

GraphValue Recording::value_of(const Tensor& tensor) {
  const TensorImpl& impl = *tensor.impl();
  GraphValue value{
      storage_of(impl), impl.byte_offset(), {impl.dtype, impl.shape, impl.strides, impl.layout}};
  const GraphStorage& storage = recorded_.graph.storages[value.storage];
  if (storage.kind == GraphStorage::Kind::argument) {
    const std::uint64_t first = arguments_[storage.argument].impl()->byte_offset();
    const bool starts_inside = value.offset >= first;
    value.offset -= first;
    if (!starts_inside ||
        value.offset + bytes_of(impl.device(), describe_tensor(impl)) > storage.bytes) {
      reject(
          "compile: the step uses memory beside its argument {}, of the tensor that this is a "
          "part of; pass what it uses",
          storage.argument);
    }
  }
  return value;
}

// Asked for where the step asks, so that it sees what optimizers and schedulers did before.
void Recording::refresh_next(const std::function<Operation()>& operation) {
  const auto current = std::make_shared<std::optional<Operation>>();
  repeat([current, operation] { current->emplace(operation()); });
  refresh_ = [current] { return **current; };
}

void Recording::note_used(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.impl()->node != nullptr) continue;
    const std::uint64_t serial = tensor.impl()->storage->serial;
    const auto known = numbers_.find(serial);
    const bool is_argument = known != numbers_.end() && known->second < arguments_.size();
    if (serial < first_serial_ && !is_argument) notes_.note_found(tensor.impl());
  }
}

void Recording::note_set_gradient(const std::shared_ptr<TensorImpl>& leaf) {
  const bool touched = leaf->grad != nullptr && numbers_.contains(leaf->grad->storage->serial);
  notes_.note_set_gradient(leaf, touched);
}

void Recording::on_operation(const OperationEvent& event) {
  Graph& graph = recorded_.graph;
  const std::shared_ptr<StreamState>& stream = event.stream.state();
  if (stream_ == nullptr) {
    stream_ = stream;
    graph.device = &stream->device;
  }
  if (stream_ != stream) {
    reject(
        "compile: a step runs on one stream of one device, {} of it runs on {}{}; compile each "
        "part by itself",
        event.operation.name(), stream->device.name,
        &stream->device == graph.device ? " on a second stream" : ", not " + graph.device->name);
  }
  GraphStep step{.operation = event.operation, .adds_to = event.adds_to};
  note_used(event.inputs);
  for (const Tensor& input : event.inputs) {
    step.inputs.push_back(value_of(input));
  }
  for (const Tensor& output : event.outputs) step.outputs.push_back(value_of(output));
  step.refreshed = std::exchange(refresh_, nullptr);
  if (begins_with_draw(step.operation)) {
    std::vector<std::byte> scalars(step.operation.scalars().begin(),
                                   step.operation.scalars().end());
    op::PhiloxScalars draw;
    std::memcpy(&draw, scalars.data(), sizeof draw);
    draw = {0, 0, draw.site - generator_.site, 0, 0};
    std::memcpy(scalars.data(), &draw, sizeof draw);
    step.operation = step.operation.with_scalars(scalars);
    step.draws = true;
  }
  graph.steps.push_back(std::move(step));
}

void Recording::on_transfer(const TransferEvent& event) {
  switch (event.direction) {
    case TransferEvent::Direction::from_device:
      reject(
          "compile: the step reads a tensor on the host, {} ({} bytes); read its results after "
          "the call instead",
          place(), event.bytes);
    case TransferEvent::Direction::to_device:
      reject(
          "compile: the step makes a tensor from host values, {} ({} bytes); it would be the "
          "same in each call: pass it as an argument",
          place(), event.bytes);
    case TransferEvent::Direction::between_devices:
      reject(
          "compile: a step runs on one device, it copies to another one {}; compile each part by "
          "itself",
          place());
  }
}

// What somebody still holds, beside the results themselves, can be seen after the step.
void Recording::find_escapes(const std::vector<Tensor>& results) {
  Graph& graph = recorded_.graph;
  for (std::size_t i = 0; i < graph.storages.size(); ++i) {
    GraphStorage& storage = graph.storages[i];
    if (storage.kind != GraphStorage::Kind::internal) continue;
    std::shared_ptr<Storage> memory = alive_[i].lock();
    if (memory == nullptr) continue;
    const auto held = std::ranges::count_if(
        results, [&](const Tensor& result) { return result.impl()->storage == memory; });
    if (memory.use_count() == held + 1) continue;
    storage.kind = GraphStorage::Kind::escaping;
    storage.memory = std::move(memory);
  }
}

// Values that are only ever seen whole, and in one way, may lie in memory as it suits.
void Recording::free_layouts() {
  Graph& graph = recorded_.graph;
  std::vector<const GraphValue*> seen(graph.storages.size(), nullptr);
  std::vector<char> fixed(graph.storages.size(), 0);
  const auto look = [&](const GraphValue& value) {
    const GraphValue*& first = seen[value.storage];
    if (first == nullptr) first = &value;
    const auto bytes =
        static_cast<std::uint64_t>(value.spec.shape.count()) * size_of(value.spec.dtype);
    const bool whole = value.offset == 0 && bytes == graph.storages[value.storage].bytes;
    if (!whole || *first != value) fixed[value.storage] = 1;
  };
  const auto for_all = [&](const auto& body) {
    for (GraphStep& step : graph.steps) {
      for (GraphValue& value : step.inputs) body(value);
      for (GraphValue& value : step.outputs) body(value);
    }
    for (GraphValue& value : graph.results) body(value);
  };
  for_all(look);
  for (const GraphValue& result : graph.results) fixed[result.storage] = 1;
  for_all([&](GraphValue& value) {
    if (!graph.is_internal(value) || fixed[value.storage] != 0) return;
    value.free = true;
    value.spec.strides = {};
    value.spec.layout = BP_LAYOUT_STRIDED;
  });
}

Recorded Recording::finish(std::vector<Tensor>& results) {
  Graph& graph = recorded_.graph;
  for (Tensor& result : results) {
    if (!result.defined()) reject("compile: a result of the step is undefined");
    result = strided(result.detach());
  }
  forget_narrow_copies();  // nobody sees them
  find_escapes(results);
  for (Tensor& result : results) {
    const auto number = numbers_.find(result.impl()->storage->serial);
    const bool escapes = number != numbers_.end() &&
                         graph.storages[number->second].kind == GraphStorage::Kind::escaping;
    if (escapes) result = result.clone();
    graph.results.push_back(value_of(result));
  }
  if (graph.device == nullptr) reject("compile: the step runs no operation on a device");
  // As the next call will find them: the step may change modes for a while.
  for (auto& [layer, training] : recorded_.host.layers) training = layer->training();
  notes_.finish(recorded_.host,
                [this](const Storage& storage) { return numbers_.contains(storage.serial); });
  free_layouts();
  recorded_.host.draws = generator_state().site - generator_.site;
  return std::move(recorded_);
}

}  // namespace backplane::detail
