// The geometry of a convolution, whichever operation it is part of.
#pragma once

#include <optional>
#include <span>

#include "backplane/backplane.hpp"
#include "cpu/conv_shape.h"

namespace backplane::cli {

// Of conv2d, its gradients, and the fused operations with one in them; nothing for others. It is
// the convolution's own, for gradients too.
[[nodiscard]] std::optional<cpu::ConvShape> convolution_shape(const Operation& operation,
                                                              std::span<const Tensor> inputs,
                                                              std::span<const Tensor> outputs);

}  // namespace backplane::cli
