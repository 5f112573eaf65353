// Steps of an optimizer over many tensors: dense ones in batches of one launch, others one by one.
#pragma once

#include <array>
#include <vector>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::cuda {

// One parameter with its gradient and what the optimizer keeps: where the lists' tensors are.
struct StepTensor {
  std::size_t index;
  Nest walk;
};

class MultiTensor {
 public:
  // The request brings `lists` operands of `count` tensors each: parameters, gradients, the rest.
  MultiTensor(const Check& check, const plugin::Request& request, std::size_t count,
              std::size_t lists);

  // Calls launch_batch(groups, batch) and launch_one(nest, memory of each operand).
  template <class LaunchBatch, class LaunchOne>
  void enqueue(const Call& call, LaunchBatch launch_batch, LaunchOne launch_one) const {
    for (std::size_t first = 0; first < dense_.size(); first += BATCH_TENSORS) {
      const std::size_t last = std::min<std::size_t>(first + BATCH_TENSORS, dense_.size());
      Batch batch{};
      launch_batch(fill(batch, call, first, last), batch);
    }
    for (const StepTensor& tensor : strided_) launch_one(tensor.walk, memory(call, tensor.index));
  }

 private:
  [[nodiscard]] std::array<Memory, 4> memory(const Call& call, std::size_t index) const;
  Groups fill(Batch& batch, const Call& call, std::size_t first, std::size_t last) const;

  std::size_t count_, lists_;
  std::vector<StepTensor> dense_, strided_;
};

}  // namespace backplane::cuda
