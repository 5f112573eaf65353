// The work of operations as the plain algorithm has it, whatever a device does instead.
#pragma once

#include <cstdint>
#include <span>

#include "backplane/backplane.hpp"

namespace backplane::cli {

// Multiplications and additions of a convolution, a product of matrices or one of their gradients,
// as if none were left out; 0 for any other operation, which memory is the measure of.
[[nodiscard]] double dense_work(const Operation& operation, std::span<const Tensor> inputs,
                                std::span<const Tensor> outputs);

// Sums it up over what is dispatched while it watches.
class DenseWorkCount : public Observer {
 public:
  void on_operation(const OperationEvent& event) override {
    total_ += dense_work(event.operation, event.inputs, event.outputs);
  }
  [[nodiscard]] double total() const noexcept { return total_; }

 private:
  double total_ = 0;
};

}  // namespace backplane::cli
