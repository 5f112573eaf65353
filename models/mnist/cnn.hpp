// mnist_cnn: the small convolutional network that the tables of this project are about.
#pragma once

#include "models/model.hpp"

namespace backplane::models {

struct MnistCnnOptions {
  std::int64_t channels = 64;            // that the second convolution puts out
  std::int32_t kernel = 3, padding = 0;  // of both convolutions
  float dropout = 0.25f;                 // 0: no such layer
  bool average_pool = false;             // instead of the maximum
};

// x[N,1,28,28] -> logits[N,10]: conv 1-32-3, ReLU, conv 32-64-3, ReLU, max-pool 2, Dropout2d 0.25,
// flatten, linear 9216-10. 110,986 parameters, unless options change that.
[[nodiscard]] Sequential mnist_cnn(const MnistCnnOptions& options = {});

// With MNIST, or data of its format; cross entropy; Adam at 1e-3.
[[nodiscard]] Model mnist_cnn_model(const MnistCnnOptions& options = {});

}  // namespace backplane::models
