// mlp: a perceptron with two hidden layers.
#pragma once

#include "models/model.hpp"

namespace backplane::models {

// x[N,1,28,28] -> logits[N,10], 235,146 parameters: flatten, linear 784-256, ReLU, linear 256-128,
// ReLU, linear 128-10.
[[nodiscard]] Sequential mlp();

// With MNIST, or data of its format; cross entropy; Adam at 1e-3.
[[nodiscard]] Model mlp_model();

}  // namespace backplane::models
