// A recording that can be repeated: plans, memory and scalars, ready to run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backplane/compile.hpp"
#include "backplane/random.hpp"
#include "compile/planner.hpp"
#include "compile/sequencer.hpp"
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
  // The same for a step with one result, which goes into `result`, or, where that is only a view of
  // something else, into the tensor that this returns. Error(invalid_argument) unless `result` is
  // row-major, on the program's device, and of the result's type and shape.
  [[nodiscard]] Tensor begin_into(std::span<const Tensor> arguments, const Tensor& result);
  // Enqueues it, on devices that have sequences as one of them: the first time step by step, and
  // whenever somebody looks at single steps. Random draws start at `draws`.
  void run(const GeneratorState& draws);

  [[nodiscard]] std::vector<CompiledPiece> pieces() const;
  [[nodiscard]] bool is_tiled() const { return tiles_ != nullptr; }
  void profile(bool on) { profiled_ = on; }

 private:
  void take_memory();
  // Puts constants in the plans' own order.
  void prepare();
  [[nodiscard]] std::vector<Tensor> make_results(std::span<const Tensor> arguments) const;
  void bind(std::span<const Tensor> arguments, std::span<const Tensor> results,
            const std::shared_ptr<StreamState>& stream);
  void note_writes();
  // Calls body with what the step is run with, given where storages lie.
  template <class Body>
  void with_execution(const PlannedStep& step, const Operation& operation, const Bound& bound,
                      Body&& body);
  void run_step(const PlannedStep& step, const Operation& operation,
                const std::shared_ptr<StreamState>& stream);
  void run_list(const GeneratorState& draws, const std::shared_ptr<StreamState>& stream);
  void run_sequence(const std::shared_ptr<StreamState>& stream);
  [[nodiscard]] bool runs_as_sequence() const;
  [[nodiscard]] std::vector<Tensor> tensors_at(const std::vector<Place>& places,
                                               const std::vector<GraphValue>& values) const;
  void run_tiles(const GeneratorState& draws, const std::shared_ptr<StreamState>& stream);
  [[nodiscard]] Tensor tensor_at(const Place& place, const TensorSpec& spec) const;

  Graph graph_;
  std::vector<PlannedStep> steps_;
  std::unique_ptr<TiledPiece> tiles_;  // null: nothing is tiled
  std::size_t tiles_at_ = 0;           // they run before this step
  Placement placement_;
  std::shared_ptr<Storage> block_;  // intermediate values, then the steps' scratch memory
  std::uint64_t workspace_at_ = 0;
  std::vector<std::uint64_t> prepared_at_;  // of steps
  std::vector<bool> is_result_;             // of storages
  std::vector<std::uint32_t> changed_;      // storages of others that steps write
  std::vector<bool> written_;               // storages
  Bound bound_;                             // in the run that goes on
  std::vector<Operation> operations_;       // of the steps, with the scalars of this run
  std::vector<bp_arg> inputs_, outputs_;
  std::unique_ptr<Sequencer> sequencer_;  // null until the second run
  bool has_run_ = false;
  std::vector<double> seconds_;
  bool profiled_ = false;
};

}  // namespace backplane::detail
