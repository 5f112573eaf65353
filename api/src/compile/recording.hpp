// Records the operations of one call as a graph.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "backplane/nn/layer.hpp"
#include "backplane/observe/observer.hpp"
#include "backplane/random.hpp"
#include "compile/graph.hpp"
#include "nn/layer_watch.hpp"

namespace backplane::detail {

// What has to hold for a recording to be repeated, and what is done beside its operations.
struct RecordedHost {
  // Layers that ran, and whether they were training.
  std::vector<std::pair<const Layer*, bool>> layers;
  // Leaves with the gradient that the step left them; `accumulated`: it was read as well, so that
  // the leaf must still have it.
  struct LeafGradient {
    std::weak_ptr<TensorImpl> leaf;
    std::shared_ptr<TensorImpl> gradient;
    bool accumulated;
  };
  std::vector<LeafGradient> gradients;
  std::uint32_t draws = 0;                     // random calls
  std::vector<std::function<void()>> actions;  // of optimizers and schedulers, in order
};

struct Recorded {
  Graph graph;
  RecordedHost host;
};

// Lives during the call that is recorded.
class Recording final : public Observer {
 public:
  explicit Recording(std::span<const Tensor> arguments);
  ~Recording() override;

  // The next operation's scalars are to be asked for anew in each repetition.
  void refresh_next(std::function<Operation()> operation) { refresh_ = std::move(operation); }
  void repeat(std::function<void()> action) { recorded_.host.actions.push_back(std::move(action)); }

  void on_operation(const OperationEvent& event) override;
  void on_transfer(const TransferEvent& event) override;

  // Ends it. Results are outside the graph from then on, which lets go of what backward saved.
  [[nodiscard]] Recorded finish(std::vector<Tensor>& results);

 private:
  [[nodiscard]] GraphValue value_of(const Tensor& tensor);
  [[nodiscard]] std::uint32_t storage_of(const TensorImpl& impl);
  void note_leaf(const Tensor& tensor);
  void find_escapes(const std::vector<Tensor>& results);
  void find_gradients();
  void free_layouts();
  [[nodiscard]] std::string place() const;  // the last operation, for messages

  const std::uint64_t first_serial_;  // storages from this one on are made by the step
  const GeneratorState generator_;
  ObserverGuard guard_;
  LayerWatch watch_;
  const LayerWatch* outer_watch_;
  Recording* outer_;
  Recorded recorded_;
  std::map<std::uint64_t, std::uint32_t> numbers_;  // of storages, by serial
  std::vector<std::weak_ptr<Storage>> alive_;       // beside graph.storages
  std::vector<std::weak_ptr<TensorImpl>> leaves_;
  std::vector<Tensor> arguments_;
  std::shared_ptr<StreamState> stream_;
  std::function<Operation()> refresh_;
};

// Of this thread; null: nothing is recorded.
[[nodiscard]] Recording* current_recording() noexcept;

}  // namespace backplane::detail
