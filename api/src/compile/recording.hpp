// Records the operations of one call as a graph.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "backplane/observe/observer.hpp"
#include "backplane/random.hpp"
#include "compile/graph.hpp"
#include "compile/recorded_host.hpp"
#include "nn/layer_watch.hpp"

namespace backplane::detail {

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
  void refresh_next(const std::function<Operation()>& operation);
  void repeat(std::function<void()> action) { recorded_.host.actions.push_back(std::move(action)); }

  // Tensors that an operation is given, as the program knows them: views come with their base.
  void note_used(std::span<const Tensor> tensors);
  // Backward may accumulate in this leaf.
  void note_leaf(const std::shared_ptr<TensorImpl>& leaf) { notes_.note_leaf(leaf); }
  // The leaf's gradient is about to be set.
  void note_set_gradient(const std::shared_ptr<TensorImpl>& leaf);

  void on_operation(const OperationEvent& event) override;
  void on_transfer(const TransferEvent& event) override;

  // Ends it. Results are outside the graph from then on, which lets go of what backward saved. One
  // whose memory somebody else holds as well becomes a copy, or the next repetition would change
  // it.
  [[nodiscard]] Recorded finish(std::vector<Tensor>& results);

 private:
  [[nodiscard]] GraphValue value_of(const Tensor& tensor);
  [[nodiscard]] std::uint32_t storage_of(const TensorImpl& impl);
  void find_escapes(const std::vector<Tensor>& results);
  void free_layouts();
  [[nodiscard]] std::string place() const;  // the last operation, for messages

  const std::uint64_t first_serial_;  // storages from this one on are made by the step
  const GeneratorState generator_;
  ObserverGuard guard_;
  LayerWatch watch_;
  const LayerWatch* outer_watch_ = nullptr;
  Recorded recorded_;
  std::map<std::uint64_t, std::uint32_t> numbers_;  // of storages, by serial
  std::vector<std::weak_ptr<Storage>> alive_;       // beside graph.storages
  HostNotes notes_;
  std::vector<Tensor> arguments_;
  std::shared_ptr<StreamState> stream_;
  std::function<Operation()> refresh_;
};

// Of this thread; null: nothing is recorded.
[[nodiscard]] Recording* current_recording() noexcept;

}  // namespace backplane::detail
