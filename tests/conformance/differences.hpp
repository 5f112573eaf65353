// Central differences in float64: a second opinion on gradients, beside the adjoint identity.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backplane/tensor.hpp"

namespace conformance {

// A function of tensors, and the numbers it is differentiated at: away from its kinks.
struct Differentiable {
  struct Input {
    backplane::Shape shape;
    double low = -2, high = 2;
  };
  std::vector<Input> inputs;
  std::function<backplane::Tensor(const std::vector<backplane::Tensor>&)> call;
};

// What is wrong with the gradients of `function` on a device; empty: nothing. Each element must be
// within 1e-4 of the difference quotient that the reference computes in f64, relative to it where
// it is above 1. That finds wrong formulas; how precise they are is what bounds are for.
[[nodiscard]] std::string difference_fault(backplane::Device device,
                                           const Differentiable& function);

}  // namespace conformance
