// What autocast changes on the road of an operation: which ones, and their operands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/tensor.hpp"

namespace backplane::detail {

// The inputs as they go to the device: narrow copies where the thread's scope asks for them.
class Operands {
 public:
  Operands(const Operation& operation, std::span<const Tensor> given);
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  [[nodiscard]] std::span<const Tensor> all() const { return all_; }

 private:
  std::vector<Tensor> narrowed_;
  std::span<const Tensor> all_;
};

// Drops the copies that the thread's scope has kept; the next operations convert anew.
void forget_narrow_copies() noexcept;

// What to do about autocast where a device refused such an operation; empty if it isn't one.
[[nodiscard]] std::string autocast_advice(const Operation& operation);

}  // namespace backplane::detail
