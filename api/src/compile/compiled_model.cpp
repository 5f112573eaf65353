// compile(layer): recordings of a forward pass, and the programs that threads borrow.
#include <algorithm>
#include <list>
#include <mutex>
#include <optional>

#include "backplane/autocast.hpp"
#include "backplane/autograd.hpp"
#include "backplane/compile.hpp"
#include "check.hpp"
#include "compile/call_key.hpp"
#include "compile/passes.hpp"
#include "compile/program.hpp"
#include "compile/recording.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace {

using detail::CallKey;
using detail::Graph;
using detail::GraphStorage;
using detail::Program;

// A tensor of the layer as it was recorded.
struct Found {
  std::weak_ptr<detail::TensorImpl> tensor;
  std::shared_ptr<detail::Storage> memory;
  std::uint64_t version;

  [[nodiscard]] bool holds() const {
    const auto now = tensor.lock();
    return now != nullptr && now->storage == memory && memory->version == version;
  }
};

std::vector<Found> tensors_of(const Layer& layer) {
  std::vector<Found> found;
  for (const NamedTensor& named : layer.named_state()) {
    const auto& impl = named.tensor.impl();
    found.push_back({impl, impl->storage, impl->storage->version});
  }
  return found;
}

}  // namespace

struct CompiledModel::State {
  struct Idle {
    std::shared_ptr<detail::StreamState> stream;  // its memory belongs to it
    std::unique_ptr<Program> program;
  };
  struct Entry {
    CallKey key;
    Graph graph;
    std::vector<Found> tensors;
    std::vector<Idle> idle;
  };

  State(Layer& model, const CompileOptions& given) : layer(model), options(given) {}

  Tensor run_plainly(const Tensor& x) {
    const NoGradGuard no_graph;
    const EvalGuard eval(layer);
    return layer(x);
  }

  std::shared_ptr<Entry> find(const Tensor& x);
  std::shared_ptr<Entry> record(const Tensor& x);
  Idle borrow(Entry& entry, const Tensor& x);
  template <class Body>
  void with_program(const Tensor& x, const Body& body);

  Layer& layer;
  CompileOptions options;
  std::mutex mutex;
  std::list<std::shared_ptr<Entry>> entries;  // most recently used first
  std::vector<CompiledPiece> pieces;
};

std::shared_ptr<CompiledModel::State::Entry> CompiledModel::State::record(const Tensor& x) {
  const CallKey key(std::span(&x, 1));
  const EvalGuard eval(layer);
  detail::Recorded recorded = [&] {
    const std::array arguments{x};
    detail::Recording recording(arguments);
    std::vector<Tensor> results{layer(x)};
    return recording.finish(results);
  }();
  Graph& graph = recorded.graph;
  for (const detail::GraphStep& step : graph.steps) {
    if (!step.draws) continue;
    detail::reject("compile: a layer in eval mode draws random numbers in {}; draw outside of it",
                   step.operation.name());
  }
  detail::drop_dead_steps(graph);
  detail::fold_constants(graph);
  if (!key.mode.strict) detail::fold_scales(graph);
  return std::make_shared<Entry>(Entry{key, std::move(graph), tensors_of(layer), {}});
}

std::shared_ptr<CompiledModel::State::Entry> CompiledModel::State::find(const Tensor& x) {
  const auto found = std::ranges::find_if(
      entries, [&](const auto& entry) { return entry->key.is_of(std::span(&x, 1)); });
  if (found != entries.end()) {
    if (std::ranges::all_of((*found)->tensors, &Found::holds)) {
      entries.splice(entries.begin(), entries, found);
      return entries.front();
    }
    entries.erase(found);
  }
  entries.push_front(record(x));
  if (entries.size() > options.capacity) entries.pop_back();
  return entries.front();
}

CompiledModel::State::Idle CompiledModel::State::borrow(Entry& entry, const Tensor& x) {
  const auto& stream = detail::current_stream(x.device().state());
  const auto idle = std::ranges::find(entry.idle, stream, &Idle::stream);
  if (idle != entry.idle.end()) {
    Idle taken = std::move(*idle);
    entry.idle.erase(idle);
    return taken;
  }
  detail::ProgramOptions program{{entry.key.mode.strict, entry.key.mode.threads, true},
                                 options.tiled && !entry.key.mode.strict};
  return {stream, std::make_unique<Program>(entry.graph, program)};
}

template <class Body>
void CompiledModel::State::with_program(const Tensor& x, const Body& body) {
  const NoGradGuard no_graph;
  std::shared_ptr<Entry> entry;
  Idle borrowed;
  {
    const std::scoped_lock lock(mutex);
    entry = find(x);
    borrowed = borrow(*entry, x);
  }
  body(*borrowed.program);
  const std::scoped_lock lock(mutex);
  entry->idle.push_back(std::move(borrowed));
}

CompiledModel::CompiledModel(Layer& layer, const CompileOptions& options)
    : state_(std::make_unique<State>(layer, options)) {
  if (options.capacity == 0) detail::reject("compile: the capacity must be at least one recording");
}
CompiledModel::~CompiledModel() = default;
CompiledModel::CompiledModel(CompiledModel&&) noexcept = default;
CompiledModel& CompiledModel::operator=(CompiledModel&&) noexcept = default;

Tensor CompiledModel::operator()(const Tensor& x) {
  static_cast<void>(detail::get(x, "compile"));
  if (detail::current_recording() != nullptr) return state_->run_plainly(x);  // part of a step
  Tensor result;
  state_->with_program(x, [&](Program& program) {
    const std::array arguments{x};
    result = program.begin(arguments).front();
    program.run(GeneratorState{});
  });
  return result;
}

void CompiledModel::run(const Tensor& x, const Tensor& result) {
  static_cast<void>(detail::get(x, "compile"));
  static_cast<void>(detail::get(result, "compile"));
  if (detail::current_recording() != nullptr) {
    const NoGradGuard no_graph;
    Tensor(result).copy_from(state_->run_plainly(x));
    return;
  }
  state_->with_program(x, [&](Program& program) {
    const std::array arguments{x};
    const Tensor made = program.begin_into(arguments, result);
    program.run(GeneratorState{});
    if (made.impl()->storage != result.impl()->storage) Tensor(result).copy_from(made);
  });
}

std::vector<CompiledPiece> CompiledModel::pieces() const {
  const std::scoped_lock lock(state_->mutex);
  if (state_->entries.empty() || state_->entries.front()->idle.empty()) return {};
  return state_->entries.front()->idle.front().program->pieces();
}

}  // namespace backplane
