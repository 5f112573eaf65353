// Types of elements, and what makes batches of raw data.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// Converts the element type by the rules of op::Copy.
[[nodiscard]] Tensor cast(const Tensor& x, DType type);
// x u8[N,C,...] -> f32: (x / 255 - mean) / deviation, one mean and deviation for each channel.
[[nodiscard]] Tensor normalize(const Tensor& x, const Tensor& mean, const Tensor& deviation);

}  // namespace backplane
