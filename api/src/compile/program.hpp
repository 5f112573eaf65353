// A recording that can be repeated: plans, memory and scalars, ready to run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backplane/compile.hpp"
#include "backplane/random.hpp"
#include "compile/planner.hpp"
#include "compile/tiled_piece.hpp"

namespace backplane::detail {

struct ProgramOptions {
  PlanSettings plans;
  bool tiled = false;
};

class Program {
 public:
  // Runs the passes over the graph, plans it and takes memory for it.
  Program(Graph graph, const ProgramOptions& options);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Takes memory for one repetition on the current stream, and for its results, which it returns.
  [[nodiscard]] std::vector<Tensor> begin(std::span<const Tensor> arguments);
  // Enqueues it. Random draws start at `draws`.
  void run(const GeneratorState& draws);

  [[nodiscard]] std::vector<CompiledPiece> pieces() const;
  [[nodiscard]] bool is_tiled() const { return tiles_ != nullptr; }
  void profile(bool on) { profiled_ = on; }

 private:
  void take_memory();
  void note_changes();
  [[nodiscard]] std::vector<Tensor> make_results(std::span<const Tensor> arguments) const;
  void bind(std::span<const Tensor> arguments, const std::vector<Tensor>& results,
            const std::shared_ptr<StreamState>& stream);
  void run_step(PlannedStep& step, const GeneratorState& draws,
                const std::shared_ptr<StreamState>& stream);
  void run_tiles(const GeneratorState& draws, const std::shared_ptr<StreamState>& stream);
  [[nodiscard]] std::vector<Tensor> tensors_at(const std::vector<Place>& places,
                                               const std::vector<GraphValue>& values) const;
  [[nodiscard]] Tensor tensor_at(const Place& place, const TensorSpec& spec) const;
  [[nodiscard]] bp_arg argument_at(const Place& place) const;

  Graph graph_;
  std::vector<PlannedStep> steps_;
  std::unique_ptr<TiledPiece> tiles_;  // null: nothing is tiled
  std::size_t tiles_at_ = 0;           // they run before this step
  Placement placement_;
  std::shared_ptr<Storage> block_;  // intermediate values, then the steps' scratch memory
  std::uint64_t workspace_at_ = 0;
  std::vector<bool> is_result_;                  // of storages
  std::vector<std::uint32_t> changed_;           // storages of others that steps write
  std::vector<std::shared_ptr<Storage>> bound_;  // of storages, in the run that goes on
  std::vector<std::uint64_t> bound_offsets_;     // in bytes
  std::vector<bp_arg> inputs_, outputs_;
  std::vector<double> seconds_;
  bool profiled_ = false;
};

}  // namespace backplane::detail
