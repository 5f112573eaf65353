// Clipping of gradients between backward and step. Nothing waits and nothing is read back.
#pragma once

#include <span>

#include "backplane/tensor.hpp"

namespace backplane {

// Scales all gradients of the parameters by max_norm / (norm + 1e-6) where that is below 1 (Pascanu
// et al. 2013); norm is the 2-norm of all of them as one vector, and is returned as a scalar on
// their device. A norm that isn't finite isn't hidden: an infinite one makes 0 of finite gradients
// and NaN of the others, a NaN makes all NaN.
//
// Parameters without a gradient are passed over. Error(invalid_argument) if none has one, if they
// are on two devices (clip each one's by itself), or if max_norm is negative or NaN.
Tensor clip_grad_norm(std::span<const Tensor> parameters, float max_norm);

// Brings every element of every gradient into [-limit, limit]; NaN stays. One operation for each
// device. Error(invalid_argument) if limit is negative or NaN.
void clip_grad_value(std::span<const Tensor> parameters, float limit);

}  // namespace backplane
