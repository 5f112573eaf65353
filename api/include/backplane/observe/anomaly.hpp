// AnomalyGuard: finds the operation that made the first NaN or infinity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backplane/observe/observer.hpp"

namespace backplane {

struct AnomalyOptions {
  bool infinities = true;  // report infinities as well as NaNs
};

// While one lives, every operation of this thread is looked at, forward and backward, and the first
// one whose result has a NaN or an infinity that its operands don't explain throws an
// Error(invalid_argument): it names the operation, what it was the gradient of, the output, the
// sample (the index along axis 0) and the element. A NaN that came with an operand from outside is
// reported where it is first read. An infinite operand explains infinities, as in a mask of -inf,
// but never a NaN; `fill` may write what it was asked to.
//
// Every result is read back, so this is slow: for finding a fault, not for training.
class AnomalyGuard {
 public:
  explicit AnomalyGuard(const AnomalyOptions& options = {});
  AnomalyGuard(const AnomalyGuard&) = delete;
  AnomalyGuard& operator=(const AnomalyGuard&) = delete;

 private:
  class Watcher final : public Observer {
   public:
    explicit Watcher(const AnomalyOptions& options) : options_(options) {}
    void before_operation(const Operation& operation, std::span<const Tensor> inputs) override;
    void on_operation(const OperationEvent& event) override;

   private:
    AnomalyOptions options_;
    bool infinite_operands_ = false;  // of the operation in flight
  };

  Watcher watcher_;
  ObserverGuard guard_;
};

}  // namespace backplane
