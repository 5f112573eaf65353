// compile: which recording a call repeats, and when one is made.
#include <algorithm>
#include <list>

#include "backplane/autograd.hpp"
#include "backplane/compile.hpp"
#include "check.hpp"
#include "compile/program.hpp"
#include "compile/recording.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace {

using detail::Graph;
using detail::Program;
using detail::Recorded;
using detail::RecordedHost;

// Two calls that follow each other must record the same. The first ones of a training step don't:
// optimizers make their state in the first, and find it there in the second.
constexpr int most_recordings = 4;

struct ArgumentSpec {
  TensorSpec spec;
  Device device;
  bool requires_grad;
  friend bool operator==(const ArgumentSpec& a, const ArgumentSpec& b) {
    return a.spec.dtype == b.spec.dtype && a.spec.shape == b.spec.shape &&
           a.spec.strides == b.spec.strides && a.spec.layout == b.spec.layout &&
           a.device == b.device && a.requires_grad == b.requires_grad;
  }
};

struct Key {
  std::vector<ArgumentSpec> arguments;
  bool strict;
  bool grad;
  std::uint32_t threads;
  friend bool operator==(const Key&, const Key&) = default;
};

Key key_of(std::span<const Tensor> arguments) {
  Key key{{}, numerics() == Numerics::strict, grad_enabled(), threads()};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const detail::TensorImpl& impl = detail::get(arguments[i], "compile");
    key.arguments.push_back({spec_of(arguments[i]), arguments[i].device(), impl.differentiable()});
  }
  return key;
}

bool still_holds(const RecordedHost& host) {
  for (const auto& [layer, training] : host.layers) {
    if (layer->training() != training) return false;
  }
  return std::ranges::all_of(host.gradients, [](const RecordedHost::LeafGradient& known) {
    const auto leaf = known.leaf.lock();
    if (leaf == nullptr) return false;
    return !known.accumulated ||
           (leaf->grad != nullptr && leaf->grad->storage == known.gradient->storage);
  });
}

}  // namespace

struct CompiledCalls::State {
  struct Entry {
    Key key;
    Recorded last;
    std::shared_ptr<detail::StreamState> stream;
    std::unique_ptr<Program> program;  // null until two recordings agree
    int recordings = 0;
  };

  Entry* find(const Key& key);
  std::vector<Tensor> record(const Key& key, std::span<const Tensor> arguments,
                             const Function& function);
  std::vector<Tensor> replay(Entry& entry, std::span<const Tensor> arguments);
  void adopt(Entry& entry, Recorded recorded);

  CompileOptions options;
  std::list<Entry> entries;  // most recently used first
  Entry* replayed = nullptr;
  std::uint64_t recorded_calls = 0, replayed_calls = 0;
  bool profiled = false;
};

// The entry whose conditions hold now. One that is still recording is judged by its key alone.
CompiledCalls::State::Entry* CompiledCalls::State::find(const Key& key) {
  const auto holds = [&](const Entry& entry) {
    if (entry.key != key) return false;
    if (entry.program == nullptr) return true;
    return still_holds(entry.last.host) &&
           detail::current_stream(*entry.last.graph.device) == entry.stream;
  };
  const auto found = std::ranges::find_if(entries, holds);
  if (found == entries.end()) return nullptr;
  entries.splice(entries.begin(), entries, found);
  return &entries.front();
}

void CompiledCalls::State::adopt(Entry& entry, Recorded recorded) {
  const std::string difference =
      entry.recordings == 0 ? "" : detail::difference(entry.last.graph, recorded.graph);
  const bool agrees = entry.recordings != 0 && difference.empty();
  if (agrees) {
    const int stale = detail::stale_scalars(entry.last.graph, recorded.graph);
    if (stale >= 0) {
      detail::reject(
          "compile: a number in operation {}, {}, differs from the call before, and would go "
          "stale; "
          "pass it as a tensor",
          stale, recorded.graph.steps[static_cast<std::size_t>(stale)].operation.name());
    }
  }
  ++entry.recordings;
  if (!agrees && entry.recordings == most_recordings) {
    detail::reject(
        "compile: {} calls recorded, no two in a row the same: {}; a step does the same "
        "in each call",
        most_recordings, difference);
  }
  entry.stream = detail::current_stream(*recorded.graph.device);
  if (agrees) {
    const bool tiled = options.tiled && !entry.key.strict;
    entry.program = std::make_unique<Program>(
        recorded.graph, detail::ProgramOptions{{entry.key.strict, entry.key.threads}, tiled});
    entry.program->profile(profiled);
  }
  entry.last = std::move(recorded);
}

std::vector<Tensor> CompiledCalls::State::record(const Key& key, std::span<const Tensor> arguments,
                                                 const Function& function) {
  if (detail::current_recording() != nullptr) return function(arguments);  // part of another step
  Entry* entry = find(key);
  std::vector<Tensor> results;
  Recorded recorded = [&] {
    detail::Recording recording(arguments);
    results = function(arguments);
    return recording.finish(results);
  }();
  ++recorded_calls;
  if (entry == nullptr) {
    entries.push_front({.key = key, .last = {}, .stream = nullptr, .program = nullptr});
    entry = &entries.front();
    if (entries.size() > options.capacity) {
      if (replayed == &entries.back()) replayed = nullptr;
      entries.pop_back();
    }
  }
  adopt(*entry, std::move(recorded));
  return results;
}

std::vector<Tensor> CompiledCalls::State::replay(Entry& entry, std::span<const Tensor> arguments) {
  const RecordedHost& host = entry.last.host;
  GeneratorState draws = generator_state();
  std::vector<Tensor> results = entry.program->run(arguments, draws);
  if (host.draws != 0) {
    draws.site += host.draws;
    set_generator_state(draws);
  }
  for (const auto& action : host.actions) action();
  for (const RecordedHost::LeafGradient& known : host.gradients) {
    if (const auto leaf = known.leaf.lock()) leaf->grad = known.gradient;
  }
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
  const Key key = key_of(arguments);
  State::Entry* entry = detail::current_recording() == nullptr ? state_->find(key) : nullptr;
  if (entry != nullptr && entry->program != nullptr) return state_->replay(*entry, arguments);
  return state_->record(key, arguments, function);
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
