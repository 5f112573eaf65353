// Dropout.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// Drops elements (dropout) or whole channels of a sample (dropout2d) with probability p in [0, 1)
// and scales the rest by 1 / (1 - p). Not training: x itself. Masks follow random.hpp.
[[nodiscard]] Tensor dropout(const Tensor& x, float p = 0.5f, bool training = true);
[[nodiscard]] Tensor dropout2d(const Tensor& x, float p = 0.5f, bool training = true);

}  // namespace backplane
