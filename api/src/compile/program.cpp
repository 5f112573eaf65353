// A recording that can be repeated.
#include "compile/program.hpp"

#include <algorithm>
#include <chrono>

#include "check.hpp"
#include "compile/passes.hpp"
#include "compile/scalars.hpp"
#include "compile/tiles.hpp"
#include "device/device_state.hpp"
#include "observe/tell.hpp"
#include "stream/stream_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {
namespace {

using Kind = GraphStorage::Kind;

constexpr std::uint64_t alignment = 256;

// In the program's own memory.
bool is_own(Kind kind) {
  return kind == Kind::internal || kind == Kind::kept;
}

bp_arg argument_at(const Bound& bound, const Place& place) {
  return bound.memory[place.storage]->at(bound.offsets[place.storage] + place.offset);
}

}  // namespace

Program::Program(Graph graph, const ProgramOptions& options) : graph_(std::move(graph)) {
  drop_dead_steps(graph_);
  if (!options.plans.strict) {
    const Planner planner(graph_, options.plans);
    fuse_max_pools(graph_, planner);
    fuse_activations(graph_, planner);
    fuse_cross_entropy(graph_, planner);
  }
  std::size_t first_after = 0;  // the step of the graph that follows the tiles
  if (options.tiled && graph_.device->table().run_tiled != nullptr) {
    if (std::optional<TiledGraph> split = split_into_tiles(graph_)) {
      tiles_ = std::make_unique<TiledPiece>(std::move(split->region), options.plans);
      graph_ = std::move(split->graph);
      first_after = split->at;
    }
  }
  steps_ = Planner(graph_, options.plans).plan(first_after, tiles_at_);
  take_memory();
  if (options.plans.prepares) prepare();
}

Program::~Program() = default;

void Program::take_memory() {
  is_result_.assign(graph_.storages.size(), false);
  for (const GraphValue& result : graph_.results) is_result_[result.storage] = true;
  std::vector<bool> placed(graph_.storages.size());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    placed[i] = graph_.storages[i].kind == Kind::internal && !is_result_[i];
  }
  placement_ = place_storages(graph_, steps_, placed, alignment);
  workspace_at_ = placement_.bytes;
  std::uint64_t end = workspace_at_;
  for (const PlannedStep& step : steps_) {
    end = std::max(end, workspace_at_ + step.entry->workspace_bytes);
  }
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (graph_.storages[i].kind != Kind::kept || is_result_[i]) continue;
    placement_.offsets[i] = round_up(end, alignment);
    end = placement_.offsets[i] + graph_.storages[i].bytes;
  }
  for (const PlannedStep& step : steps_) {
    prepared_at_.push_back(round_up(end, alignment));
    end = prepared_at_.back() + step.entry->prepared_bytes;
  }
  const std::uint64_t tiles_begin = round_up(end, alignment);
  if (tiles_ != nullptr) end = tiles_begin + tiles_->bytes();
  block_ = std::make_shared<Storage>(*graph_.device, end);
  if (tiles_ != nullptr) tiles_->set_block(block_, tiles_begin);
  seconds_.assign(steps_.size(), 0);
  note_writes();
}

void Program::prepare() {
  bind({}, {}, current_stream(*graph_.device));
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const PlannedStep& step = steps_[i];
    if (step.entry->prepared_bytes == 0) continue;
    std::vector<bp_arg> inputs;
    for (const Place& place : step.inputs) {
      const bool constant = graph_.storages[place.storage].kind == Kind::outside;
      inputs.push_back(constant ? argument_at(bound_, place) : bp_arg{});
    }
    enqueue_preparation({*step.entry,
                         step.step.operation,
                         inputs,
                         {},
                         block_->at(workspace_at_),
                         block_->at(prepared_at_[i])},
                        current_stream(*graph_.device));
  }
  bound_.memory.clear();
}

void Program::note_writes() {
  written_.assign(graph_.storages.size(), false);
  for (const PlannedStep& step : steps_) {
    for (const Place& place : step.outputs) written_[place.storage] = true;
  }
  for (std::uint32_t i = 0; i < graph_.storages.size(); ++i) {
    const Kind kind = graph_.storages[i].kind;
    // Only what the step makes itself escapes: tiles write such storages, but none from outside.
    written_[i] = written_[i] || kind == Kind::escaping;
    if (written_[i] && !is_own(kind)) changed_.push_back(i);
  }
}

std::vector<Tensor> Program::make_results(std::span<const Tensor> arguments) const {
  std::vector<Tensor> results;
  for (const GraphValue& value : graph_.results) {
    const GraphStorage& storage = graph_.storages[value.storage];
    auto impl = std::make_shared<TensorImpl>();
    impl->shape = value.spec.shape;
    impl->strides = value.spec.strides;
    impl->dtype = value.spec.dtype;
    impl->offset = static_cast<std::int64_t>(value.offset / size_of(value.spec.dtype));
    impl->storage = storage.memory;
    if (storage.kind == Kind::argument) {
      const TensorImpl& argument = *arguments[storage.argument].impl();
      impl->storage = argument.storage;
      impl->offset += argument.offset;
    }
    for (std::size_t i = 0; i < results.size() && impl->storage == nullptr; ++i) {
      if (graph_.results[i].storage == value.storage) impl->storage = results[i].impl()->storage;
    }
    if (impl->storage == nullptr) {
      impl->storage = std::make_shared<Storage>(*graph_.device, storage.bytes);
    }
    results.emplace_back(Tensor(std::move(impl)));
  }
  return results;
}

void Program::bind(std::span<const Tensor> arguments, std::span<const Tensor> results,
                   const std::shared_ptr<StreamState>& stream) {
  bound_.memory.resize(graph_.storages.size());
  bound_.offsets.assign(graph_.storages.size(), 0);
  for (std::size_t i = 0; i < graph_.storages.size(); ++i) {
    const GraphStorage& storage = graph_.storages[i];
    if (storage.kind == Kind::argument) {
      if (arguments.empty()) continue;  // constants alone are asked for
      const TensorImpl& impl = *arguments[storage.argument].impl();
      bound_.memory[i] = impl.storage;
      bound_.offsets[i] = impl.byte_offset();
    } else if (!is_own(storage.kind)) {
      bound_.memory[i] = storage.memory;
    } else {
      bound_.memory[i] = block_;
      bound_.offsets[i] = placement_.offsets[i];
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::uint32_t storage = graph_.results[i].storage;
    if (!is_own(graph_.storages[storage].kind)) continue;
    bound_.memory[storage] = results[i].impl()->storage;
    bound_.offsets[storage] = results[i].impl()->byte_offset() - graph_.results[i].offset;
  }
  for (const auto& storage : bound_.memory) {
    if (storage != nullptr && &storage->device == graph_.device) storage->note_use(stream);
  }
}

Tensor Program::tensor_at(const Place& place, const TensorSpec& spec) const {
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = bound_.memory[place.storage];
  impl->shape = spec.shape;
  impl->strides = spec.strides;
  impl->dtype = spec.dtype;
  impl->layout = spec.layout;
  const std::uint64_t offset = bound_.offsets[place.storage] + place.offset;
  impl->offset = static_cast<std::int64_t>(offset / size_of(spec.dtype));
  return Tensor(std::move(impl));
}

std::vector<Tensor> Program::tensors_at(const std::vector<Place>& places,
                                        const std::vector<GraphValue>& values) const {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < places.size(); ++i) {
    tensors.push_back(tensor_at(places[i], values[i].spec));
  }
  return tensors;
}

template <class Body>
void Program::with_execution(const PlannedStep& step, const Operation& operation,
                             const Bound& bound, Body&& body) {
  inputs_.clear();
  outputs_.clear();
  for (const Place& place : step.inputs) inputs_.push_back(argument_at(bound, place));
  for (const Place& place : step.outputs) outputs_.push_back(argument_at(bound, place));
  const auto number = static_cast<std::size_t>(&step - steps_.data());
  body(Execution{*step.entry, operation, inputs_, outputs_, block_->at(workspace_at_),
                 block_->at(prepared_at_[number])});
}

void Program::run_step(const PlannedStep& step, const Operation& operation,
                       const std::shared_ptr<StreamState>& stream) {
  const bool is_observed = !observers().empty();
  std::vector<Tensor> inputs;
  if (is_observed) {
    inputs = tensors_at(step.inputs, step.step.inputs);
    tell_before(operation, inputs);
  }
  std::uint64_t sequence = 0;
  with_execution(step, operation, bound_,
                 [&](const Execution& execution) { sequence = enqueue(execution, stream); });
  if (is_observed) {
    tell_operation({operation, inputs, tensors_at(step.outputs, step.step.outputs), Stream(stream),
                    step.entry->implementation, sequence, step.step.adds_to});
  }
  if (launch_blocking()) stream->synchronize();
}

void Program::run_tiles(const GeneratorState& draws, const std::shared_ptr<StreamState>& stream) {
  const auto memory_of = [this](std::uint32_t storage) {
    return argument_at(bound_, {storage, 0});
  };
  tiles_->run(memory_of, draws, stream, profiled_);
  if (launch_blocking()) stream->synchronize();
}

void Program::run_list(const GeneratorState& draws, const std::shared_ptr<StreamState>& stream) {
  using Clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i <= steps_.size(); ++i) {
    if (tiles_ != nullptr && i == tiles_at_) run_tiles(draws, stream);
    if (i == steps_.size()) break;
    const auto start = profiled_ ? Clock::now() : Clock::time_point{};
    run_step(steps_[i], operations_[i], stream);
    if (!profiled_) continue;
    stream->synchronize();
    seconds_[i] += std::chrono::duration<double>(Clock::now() - start).count();
  }
}

bool Program::runs_as_sequence() const {
  const bool is_watched = !observers().empty() || profiled_ || launch_blocking();
  return has_run_ && !is_watched && tiles_ == nullptr &&
         graph_.device->table().sequence_begin != nullptr;
}

void Program::run_sequence(const std::shared_ptr<StreamState>& stream) {
  if (sequencer_ == nullptr) {
    const auto enqueue_all = [&](const Bound& bound) {
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        with_execution(steps_[i], operations_[i], bound,
                       [&](const Execution& execution) { enqueue_locked(execution, *stream); });
      }
    };
    sequencer_ = std::make_unique<Sequencer>(graph_, bound_, written_, stream, enqueue_all);
  }
  sequencer_->run(bound_, operations_);
}

std::vector<Tensor> Program::begin(std::span<const Tensor> arguments) {
  std::vector<Tensor> results = make_results(arguments);
  bind(arguments, results, current_stream(*graph_.device));
  return results;
}

Tensor Program::begin_into(std::span<const Tensor> arguments, const Tensor& result) {
  const GraphValue& wanted = graph_.results.front();
  const TensorImpl& impl = *result.impl();
  const bool fits = impl.dtype == wanted.spec.dtype && impl.shape == wanted.spec.shape &&
                    &impl.device() == graph_.device && result.is_contiguous();
  if (!fits) {
    reject("compile: the result must be row-major {}{} on {}, is {} on {}",
           to_string(wanted.spec.dtype), to_string(wanted.spec.shape), graph_.device->name,
           describe(result), impl.device().name);
  }
  const bool direct = is_own(graph_.storages[wanted.storage].kind) && wanted.offset == 0 &&
                      wanted.spec.strides == row_major(wanted.spec.shape);
  if (direct) {
    bind(arguments, std::span(&result, 1), current_stream(*graph_.device));
    return result;
  }
  return begin(arguments).front();
}

void Program::run(const GeneratorState& draws) {
  const std::shared_ptr<StreamState>& stream = current_stream(*graph_.device);
  operations_.clear();
  for (const PlannedStep& step : steps_) operations_.push_back(current_operation(step.step, draws));
  if (runs_as_sequence()) {
    run_sequence(stream);
  } else {
    run_list(draws, stream);
  }
  has_run_ = true;
  for (const std::uint32_t storage : changed_) ++bound_.memory[storage]->version;
  bound_.memory.clear();
}

std::vector<CompiledPiece> Program::pieces() const {
  std::vector<CompiledPiece> pieces;
  for (std::size_t i = 0; i <= steps_.size(); ++i) {
    if (tiles_ != nullptr && i == tiles_at_) tiles_->add_to(pieces);
    if (i == steps_.size()) break;
    pieces.push_back({std::string(steps_[i].step.operation.name()), steps_[i].entry->implementation,
                      false, seconds_[i]});
  }
  return pieces;
}

}  // namespace backplane::detail
