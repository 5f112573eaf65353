// mnist_cnn: the network, and how it is trained.
#include "models/mnist/cnn.hpp"

#include "models/mnist/classifier.hpp"

namespace backplane::models {

Sequential mnist_cnn() {
  return Sequential{Conv2d(1, 32, {.kernel = 3}),  // 28 -> 26 rows and columns
                    ReLU(),
                    Conv2d(32, 64, {.kernel = 3}),  // -> 24
                    ReLU(),
                    MaxPool2d({.kernel = 2}),  // -> 12
                    Dropout2d(0.25f),
                    Flatten(),
                    Linear(64 * 12 * 12, 10)};
}

Model mnist_cnn_model() {
  return mnist_classifier("mnist_cnn", []() -> std::unique_ptr<Layer> {
    return std::make_unique<Sequential>(mnist_cnn());
  });
}

}  // namespace backplane::models
