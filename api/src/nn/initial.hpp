// The weights that layers start from.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane::detail {

// A parameter on the default device, uniform in +-1/sqrt(fan_in).
//
// This is He et al., "Delving deep into rectifiers", ICCV 2015, equation 15 with the slope a =
// sqrt(5): gain = sqrt(2 / (1 + a^2)) and bound = gain * sqrt(3 / fan_in). It is what PyTorch's
// convolutional and linear layers start from, so that published results can be met.
[[nodiscard]] Tensor initial_parameter(const Shape& shape, std::int64_t fan_in);

}  // namespace backplane::detail
