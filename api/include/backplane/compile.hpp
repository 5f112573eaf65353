// compile: records what a step does, and from then on repeats it without asking again.
//
//   auto step = compile([&](const Tensor& x, const Tensor& labels) {
//     optimizer.zero_grad();
//     const Tensor loss = cross_entropy(model(x), labels);
//     loss.backward();
//     optimizer.step();
//     return loss;
//   });
//   for (...) losses.push_back(step(images, labels));
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backplane/nn/layer.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

struct CompileOptions {
  // Recordings that are kept; of those, the one that was used longest ago goes first.
  std::size_t capacity = 8;
  // Regions that are separable over the batch run a few samples at a time, each thread with its own
  // gradients, so that activations stay in the cache. Only at level standard, since it changes the
  // order of sums, and only on devices that offer it. While an observer watches, such a step runs
  // as it is.
  bool tiled = true;
};

// One piece of a recording, for people: what runs, by which kernel, and how long.
struct CompiledPiece {
  std::string operation, implementation;
  bool tiled = false;
  double seconds = 0;  // of all runs since profile() was switched on
};

// Calls that record until two of them agree, and repeat from then on. compile() makes one of a
// step. Not to be used from two threads at once.
//
// The first calls run the function as it is and record its operations; once two calls in a row have
// recorded the same, later ones repeat the recording: operations fused, intermediate values in one
// block of memory, nothing allocated but the results. What the function does beside operations on
// tensors (counting, printing) is done while recording only. A recording belongs to the types,
// shapes and devices of the arguments, to numerics, threads, autocast, stream and grad mode, to the
// mode of the layers that ran (by their operator()), to where gradients are accumulated, and to the
// tensors that the function finds, which keep their memory and whether they require gradients; where
// one of them differs, another is made.
//
// In each repetition optimizers step with their learning rate of that moment and count on,
// schedulers too, in the order in which the function does it, and random draws are those of
// begin_step() and of the calls before. They and the layers must outlive this. Results are outside
// the graph, and are memory of their own unless they are arguments or tensors that the function
// found. Gradients that it leaves stay where they are from one repetition to the next.
//
// Observers see the operations of a repetition.
//
// Errors, from the calls that record: one that reads a tensor on the host or makes one from host
// values (pass it as an argument), that sets seeds, or uses two devices or streams; a number of C++
// that differs from call to call, since it would go stale. From any call: arguments that share
// memory, or that require gradients while grad mode is on.
class CompiledCalls {
 public:
  using Function = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

  explicit CompiledCalls(const CompileOptions& options = {});
  ~CompiledCalls();
  CompiledCalls(CompiledCalls&&) noexcept;
  CompiledCalls& operator=(CompiledCalls&&) noexcept;

  // Of one and the same function each time.
  std::vector<Tensor> call(std::span<const Tensor> arguments, const Function& function);

  // How many calls recorded, and how many repeated.
  [[nodiscard]] std::uint64_t recorded_calls() const noexcept;
  [[nodiscard]] std::uint64_t replayed_calls() const noexcept;
  // What the recording that was repeated last consists of; empty before the first repetition.
  [[nodiscard]] std::vector<CompiledPiece> pieces() const;
  // Measures each piece from now on, waiting for it on devices that run behind the program.
  void profile(bool on);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A step that takes tensors and returns one, a vector of them, or nothing.
template <class Step>
class Compiled : public CompiledCalls {
 public:
  Compiled(Step step, const CompileOptions& options)
      : CompiledCalls(options), step_(std::move(step)) {}

  template <class... Arguments>
  requires(std::is_convertible_v<const Arguments&, Tensor>&&...) auto operator()(
      const Arguments&... arguments) {
    using Result = std::invoke_result_t<Step&, const Arguments&...>;
    const std::array<Tensor, sizeof...(Arguments)> given{arguments...};
    std::vector<Tensor> results = call(given, [this](std::span<const Tensor> tensors) {
      return run<Result>(tensors, std::index_sequence_for<Arguments...>());
    });
    if constexpr (std::is_same_v<Result, Tensor>) {
      return std::move(results.front());
    } else if constexpr (!std::is_void_v<Result>) {
      return results;
    }
  }

 private:
  template <class Result, std::size_t... i>
  std::vector<Tensor> run(std::span<const Tensor> tensors, std::index_sequence<i...>) {
    if constexpr (std::is_void_v<Result>) {
      step_(tensors[i]...);
      return {};
    } else if constexpr (std::is_same_v<Result, Tensor>) {
      return {step_(tensors[i]...)};
    } else {
      return step_(tensors[i]...);
    }
  }

  Step step_;
};

template <class Step>
requires(!std::derived_from<std::decay_t<Step>, Layer>)
    [[nodiscard]] Compiled<std::decay_t<Step>> compile(Step&& step,
                                                       const CompileOptions& options = {}) {
  return {std::forward<Step>(step), options};
}

// A layer's forward pass for inference, as of now: in eval mode, outside the graph. Constants are
// folded, scales and shifts of channels (batch norm) go into the weights before them, weights are
// put in each kernel's own order once, and intermediate values lie in one block of memory.
//
// May be called from several threads at once; each that runs at the same time as others has memory
// of its own. The layer must outlive it; where its parameters have changed since, or lie elsewhere,
// the next call records it anew, which no other call may meet.
class CompiledModel {
 public:
  explicit CompiledModel(Layer& layer, const CompileOptions& options = {});
  ~CompiledModel();
  CompiledModel(CompiledModel&&) noexcept;
  CompiledModel& operator=(CompiledModel&&) noexcept;

  [[nodiscard]] Tensor operator()(const Tensor& x);
  // Into a row-major tensor of the result's type and shape, on the same device: once warm, this
  // takes no memory from device or host. Error(invalid_argument) for another one.
  void run(const Tensor& x, const Tensor& result);

  [[nodiscard]] std::vector<CompiledPiece> pieces() const;  // of the recording used last

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] inline CompiledModel compile(Layer& layer, const CompileOptions& options = {}) {
  return CompiledModel(layer, options);
}

}  // namespace backplane
