// Mixed precision: products of 16-bit operands inside a scope, everything else as it is.
#pragma once

#include <optional>

#include "backplane/dtype.hpp"

namespace backplane {

// The type that products on this thread round their f32 operands to; none outside of scopes.
[[nodiscard]] std::optional<DType> autocast() noexcept;

// While one lives, this thread's conv2d and matmul, and what is made of them (conv1d,
// conv_transpose2d, linear, attention), round f32 operands to DType::bf16 or DType::f16 and add up
// their products in f32. Results, biases, parameters and gradients stay f32, so that optimizers and
// checkpoints see nothing of it; operands of other types are left alone. Backward runs as its
// forward did, inside and outside of scopes.
//
// Scopes nest: AutocastGuard(std::nullopt) switches it off within one. A narrow copy of a parameter
// is kept until the outermost scope ends or the parameter changes. Error(unsupported) from an
// operation whose device doesn't compute with the type; f16 goes up to 65504, and nothing here
// scales gradients to fit it.
class AutocastGuard {
 public:
  // Error(invalid_argument) for another type.
  explicit AutocastGuard(std::optional<DType> type);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  std::optional<DType> previous_;
};

}  // namespace backplane
