// gradcheck: gradients against differences, in double on the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "backplane/nn/layer.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

struct GradcheckOptions {
  double step = 1e-6;      // to both sides of each element
  double relative = 1e-5;  // of the larger of the two slopes
  double absolute = 1e-7;
};

struct GradcheckResult {
  std::string failure;  // the first gradient that is wrong, and why; empty: all are right
  std::int64_t compared = 0;
  [[nodiscard]] bool passed() const noexcept { return failure.empty() && compared > 0; }
};

// Compares what backward() gives for each element of each floating input with the central
// difference of a weighted sum of the result. The function is called with copies of the inputs in
// f64 on reference:0, and must give the same result each time (put dropout into eval(), or draw in
// a step of its own). A NaN is a failure, not a match; so is a missing gradient where there is a
// slope. At a kink differences say nothing: choose other inputs.
[[nodiscard]] GradcheckResult gradcheck(
    const std::function<Tensor(std::span<const Tensor>)>& function, std::span<const Tensor> inputs,
    const GradcheckOptions& options = {});

// The same of a layer: its input "x" and all its parameters, by their names. The layer stays as it
// is: a copy takes the numbers in f64.
[[nodiscard]] GradcheckResult gradcheck(const Layer& layer, const Tensor& x,
                                        const GradcheckOptions& options = {});

}  // namespace backplane
