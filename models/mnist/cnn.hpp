// mnist_cnn: the small convolutional network that the tables of this project are about.
#pragma once

#include "models/model.hpp"

namespace backplane::models {

// x[N,1,28,28] -> logits[N,10], 110,986 parameters: conv 1-32-3, ReLU, conv 32-64-3, ReLU, max-pool
// 2, Dropout2d 0.25, flatten, linear 9216-10.
[[nodiscard]] Sequential mnist_cnn();

// With MNIST, or data of its format; cross entropy; Adam at 1e-3.
[[nodiscard]] Model mnist_cnn_model();

}  // namespace backplane::models
