// lenet5: the network, and how it is trained.
#include "models/lenet/lenet5.hpp"

#include "models/mnist/classifier.hpp"

namespace backplane::models {

Sequential lenet5() {
  return Sequential{Conv2d(1, 6, {.kernel = 5, .padding = 2}),  // 28 rows and columns
                    ReLU(),
                    MaxPool2d({.kernel = 2}),      // -> 14
                    Conv2d(6, 16, {.kernel = 5}),  // -> 10
                    ReLU(),
                    MaxPool2d({.kernel = 2}),  // -> 5
                    Flatten(),
                    Linear(16 * 5 * 5, 120),
                    ReLU(),
                    Linear(120, 84),
                    ReLU(),
                    Linear(84, 10)};
}

Model lenet5_model() {
  return mnist_classifier(
      "lenet5", []() -> std::unique_ptr<Layer> { return std::make_unique<Sequential>(lenet5()); });
}

}  // namespace backplane::models
