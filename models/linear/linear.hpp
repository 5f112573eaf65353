// linear: the smallest model, a regression on synthetic data.
#pragma once

#include "models/model.hpp"

namespace backplane::models {

// 4096 samples to train and 1024 to test: x[N,10] uniform in [-1, 1), targets[N,2] a linear
// function of it with noise uniform in [-0.1, 0.1). All three depend on the seed alone.
[[nodiscard]] Data linear_data(std::uint64_t seed);

// Linear 10-2; mean squared error; SGD at 0.01.
[[nodiscard]] Model linear_model();

}  // namespace backplane::models
