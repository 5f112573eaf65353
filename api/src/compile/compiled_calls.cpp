// compile: which recording a call repeats, and when one is made.
#include <algorithm>
#include <list>
#include <optional>

#include "backplane/autocast.hpp"
#include "backplane/autograd.hpp"
#include "backplane/compile.hpp"
#include "check.hpp"
#include "compile/call_key.hpp"
#include "compile/program.hpp"
#include "compile/recording.hpp"
#include "device/device_state.hpp"
#include "observe/tell.hpp"
#include "stream/stream_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace {

using detail::CallKey;
using detail::Graph;
using detail::Program;
using detail::Recorded;
using detail::RecordedHost;

// Two calls that follow each other must record the same. The first ones of a training step don't:
// optimizers make their state in the first, and find it there in the second.
constexpr int most_recordings = 4;

void check_arguments(std::span<const Tensor> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const detail::TensorImpl& impl = detail::get(arguments[i], "compile");
    if (impl.differentiable() && grad_enabled()) {
      detail::reject(
          "compile: argument {} requires a gradient, which a step doesn't give its arguments; pass "
          "its detach(), or let the step use the tensor without passing it",
          i);
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (arguments[other].impl()->storage != impl.storage) continue;
      detail::reject("compile: arguments {} and {} share memory; pass a clone() of one of them",
                     other, i);
    }
  }
}

std::vector<Tensor> outside_graph(std::vector<Tensor> results) {
  for (Tensor& result : results) result = result.detach();
  return results;
}

using Serials = std::vector<std::uint64_t>;

Serials serials_of(std::span<const Tensor> arguments) {
  Serials serials;
  for (const Tensor& argument : arguments) serials.push_back(argument.impl()->storage->serial);
  return serials;
}

// Of the memory that a graph uses beside its arguments; sorted.
Serials own_memory(const Graph& graph) {
  Serials serials;
  for (const detail::GraphStorage& storage : graph.storages) {
    if (storage.memory != nullptr) serials.push_back(storage.memory->serial);
  }
  std::ranges::sort(serials);
  return serials;
}

}  // namespace

struct CompiledCalls::State {
  struct Entry {
    explicit Entry(const CallKey& call) : key(call) {}

    CallKey key;
    Recorded last;
    std::shared_ptr<detail::StreamState> stream;
    Serials arguments;                 // their memory in the last recording
    std::vector<char> vary;            // those that were other memory in one that agreed
    Serials memory;                    // see own_memory
    std::unique_ptr<Program> program;  // null until two recordings agree
    int recordings = 0;

    [[nodiscard]] bool holds(const Serials& now) const;
    [[nodiscard]] bool is_ready(const Serials& now) const;
  };
  using Entries = std::list<Entry>;

  Entry* find(std::span<const Tensor> arguments, const Serials& serials);
  void drop(Entries::iterator entry);
  Entry& add(const CallKey& key, std::size_t arguments);
  std::vector<Tensor> record(std::span<const Tensor> arguments, const Function& function,
                             Entry* entry);
  std::vector<Tensor> replay(Entry& entry, std::span<const Tensor> arguments);
  void adopt(Entry& entry, Recorded recorded, std::span<const Tensor> arguments);

  CompileOptions options;
  Entries entries;  // most recently used first
  Entry* replayed = nullptr;
  std::uint64_t recorded_calls = 0, replayed_calls = 0;
  bool profiled = false;
};

// Whether a call under these conditions would do what was recorded. Which tensors a step finds is
// known once two recordings agree: optimizers make theirs in the first.
bool CompiledCalls::State::Entry::holds(const Serials& now) const {
  if (detail::current_stream(*last.graph.device) != stream) return false;
  if (!last.host.modes_hold()) return false;
  if (program == nullptr) return true;
  const auto is_own = [&](std::uint64_t serial) {
    return std::ranges::binary_search(memory, serial);
  };
  return last.host.requests_hold() && std::ranges::none_of(now, is_own);
}

// Not where an argument is other memory for the first time: what the step was seen to do with the
// argument may have been done with the memory, by another name.
bool CompiledCalls::State::Entry::is_ready(const Serials& now) const {
  if (program == nullptr) return false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (vary[i] == 0 && arguments[i] != now[i]) return false;
  }
  return true;
}

void CompiledCalls::State::drop(Entries::iterator entry) {
  if (replayed == &*entry) replayed = nullptr;
  entries.erase(entry);
}

// The entry whose conditions hold now; rather one that is ready than one that still records.
CompiledCalls::State::Entry* CompiledCalls::State::find(std::span<const Tensor> arguments,
                                                        const Serials& serials) {
  auto found = entries.end();
  for (auto next = entries.begin(); next != entries.end();) {
    const auto entry = next++;
    if (!entry->key.is_of(arguments)) continue;
    if (entry->program != nullptr && !entry->last.host.tensors_hold()) {
      drop(entry);
    } else if (entry->holds(serials) && (found == entries.end() || !found->is_ready(serials))) {
      found = entry;
    }
  }
  if (found == entries.end()) return nullptr;
  entries.splice(entries.begin(), entries, found);
  return &entries.front();
}

CompiledCalls::State::Entry& CompiledCalls::State::add(const CallKey& key, std::size_t arguments) {
  Entry& entry = entries.emplace_front(key);
  entry.vary.assign(arguments, 0);
  if (entries.size() > options.capacity) drop(std::prev(entries.end()));
  return entry;
}

void CompiledCalls::State::adopt(Entry& entry, Recorded recorded,
                                 std::span<const Tensor> arguments) {
  const bool is_first = entry.recordings++ == 0;
  const std::string difference =
      is_first ? "" : detail::difference(entry.last.graph, recorded.graph);
  const Recorded before = std::exchange(entry.last, std::move(recorded));
  const Graph& graph = entry.last.graph;
  entry.memory = own_memory(graph);
  entry.stream = detail::current_stream(*graph.device);
  entry.program = nullptr;
  const Serials others = std::exchange(entry.arguments, serials_of(arguments));
  if (is_first || !difference.empty()) entry.vary.assign(arguments.size(), 0);
  if (is_first) return;
  if (!difference.empty()) {
    if (entry.recordings < most_recordings) return;
    detail::reject(
        "compile: {} calls recorded, no two in a row the same: {}; a step does the same in each "
        "call",
        entry.recordings, difference);
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i] != entry.arguments[i]) entry.vary[i] = 1;
  }
  const int stale = detail::stale_scalars(before.graph, graph);
  if (stale >= 0) {
    detail::reject(
        "compile: a number in operation {}, {}, differs from the call before, and would go stale; "
        "pass it as a tensor",
        stale, graph.steps[static_cast<std::size_t>(stale)].operation.name());
  }
  const bool tiled = options.tiled && !entry.key.mode.strict;
  entry.program = std::make_unique<Program>(
      graph, detail::ProgramOptions{{entry.key.mode.strict, entry.key.mode.threads}, tiled});
  entry.program->profile(profiled);
}

std::vector<Tensor> CompiledCalls::State::record(std::span<const Tensor> arguments,
                                                 const Function& function, Entry* entry) {
  const CallKey key(arguments);
  std::vector<Tensor> results;
  Recorded recorded = [&] {
    detail::Recording recording(arguments);
    results = function(arguments);
    return recording.finish(results);
  }();
  ++recorded_calls;
  adopt(entry == nullptr ? add(key, arguments.size()) : *entry, std::move(recorded), arguments);
  return results;
}

std::vector<Tensor> CompiledCalls::State::replay(Entry& entry, std::span<const Tensor> arguments) {
  const RecordedHost& host = entry.last.host;
  GeneratorState draws = generator_state();
  std::vector<Tensor> results = entry.program->begin(arguments);
  for (const auto& action : host.actions) action();
  entry.program->run(draws);
  if (host.draws != 0) {
    draws.site += host.draws;
    set_generator_state(draws);
  }
  host.leave_gradients();
  ++replayed_calls;
  replayed = &entry;
  return results;
}

CompiledCalls::CompiledCalls(const CompileOptions& options) : state_(std::make_unique<State>()) {
  if (options.capacity == 0) detail::reject("compile: the capacity must be at least one recording");
  state_->options = options;
}
CompiledCalls::~CompiledCalls() = default;
CompiledCalls::CompiledCalls(CompiledCalls&&) noexcept = default;
CompiledCalls& CompiledCalls::operator=(CompiledCalls&&) noexcept = default;

std::vector<Tensor> CompiledCalls::call(std::span<const Tensor> arguments,
                                        const Function& function) {
  if (detail::current_recording() != nullptr) return function(arguments);  // part of another step
  check_arguments(arguments);
  const Serials serials = serials_of(arguments);
  State::Entry* entry = state_->find(arguments, serials);
  if (entry != nullptr && entry->is_ready(serials)) {
    // Nobody can be told of an operation that runs tile by tile: for observers it runs as it is.
    const bool hides = entry->program->is_tiled() && !detail::observers().empty();
    return hides ? outside_graph(function(arguments)) : state_->replay(*entry, arguments);
  }
  return state_->record(arguments, function, entry);
}

std::uint64_t CompiledCalls::recorded_calls() const noexcept {
  return state_->recorded_calls;
}
std::uint64_t CompiledCalls::replayed_calls() const noexcept {
  return state_->replayed_calls;
}

std::vector<CompiledPiece> CompiledCalls::pieces() const {
  return state_->replayed == nullptr ? std::vector<CompiledPiece>{}
                                     : state_->replayed->program->pieces();
}

void CompiledCalls::profile(bool on) {
  state_->profiled = on;
  for (State::Entry& entry : state_->entries) {
    if (entry.program != nullptr) entry.program->profile(on);
  }
}

}  // namespace backplane
