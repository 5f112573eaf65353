// What a recorded step needs of the program around it, and what it leaves there beside the values
// of its operations.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backplane/nn/layer.hpp"
#include "memory/storage.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {

// A tensor that was there before the step, and its memory then: another one of the same place would
// have to be recorded anew.
struct FoundTensor {
  std::weak_ptr<TensorImpl> tensor;
  std::shared_ptr<Storage> memory;
  bool requires_grad;
};

// A leaf with the gradient that the step leaves it; null: none.
struct LeafGradient {
  enum class Before {
    any,   // the step sets it before it looks
    none,  // the step made the first one
    kept   // the step adds to, or reads, the memory `before`
  };
  std::weak_ptr<TensorImpl> leaf;
  Before kind;
  std::shared_ptr<Storage> before;
  std::shared_ptr<TensorImpl> after;
};

struct RecordedHost {
  std::vector<std::pair<const Layer*, bool>> layers;  // those that ran, and whether for training
  std::vector<FoundTensor> found;
  std::vector<LeafGradient> gradients;
  std::uint32_t draws = 0;                     // random calls
  std::vector<std::function<void()>> actions;  // of optimizers and schedulers, in order

  // Whether layers and gradients are as they were before the recording.
  [[nodiscard]] bool modes_hold() const;
  // Whether the tensors are still there, in the same memory. What is gone never comes back.
  [[nodiscard]] bool tensors_hold() const;
  // Whether the same ones of them want gradients.
  [[nodiscard]] bool requests_hold() const;
  // Gives the leaves the gradients that a repetition has computed.
  void leave_gradients() const;
};

// Notes tensors as operations meet them.
class HostNotes {
 public:
  // The step uses a tensor that was there before it.
  void note_found(const std::shared_ptr<TensorImpl>& tensor) { note_of(tensor).found = true; }
  // Backward may accumulate in this leaf; it hasn't yet.
  void note_leaf(const std::shared_ptr<TensorImpl>& leaf) { note_of(leaf).is_leaf = true; }
  // The step is about to set this leaf's gradient; `touched`: it has used the one that is there.
  void note_set_gradient(const std::shared_ptr<TensorImpl>& leaf, bool touched);

  // Moves the notes into `host`; `touched(storage)` says whether the step used that memory.
  void finish(RecordedHost& host, const std::function<bool(const Storage&)>& touched) const;

 private:
  struct Note {
    const TensorImpl* name;
    std::weak_ptr<TensorImpl> tensor;
    LeafGradient::Before kind;
    std::weak_ptr<Storage> before;
    bool found = false, is_leaf = false, is_set = false;
  };
  Note& note_of(const std::shared_ptr<TensorImpl>& tensor);

  std::vector<Note> notes_;
};

}  // namespace backplane::detail
