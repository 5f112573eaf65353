// mnist_cnn: the network, and how it is trained.
#include "models/mnist/cnn.hpp"

#include "models/mnist/dataset.hpp"

namespace backplane::models {

namespace {

// Of the training images' pixels, which lie in [0, 1].
constexpr float mean[] = {0.1307f};
constexpr float deviation[] = {0.3081f};

}  // namespace

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
  return {
      .name = "mnist_cnn",
      .make = []() -> std::unique_ptr<Layer> { return std::make_unique<Sequential>(mnist_cnn()); },
      .load = [](const std::string& directory, std::uint64_t) { return load_mnist(directory); },
      .mean = mean,
      .deviation = deviation,
      .loss = [](const Tensor& logits,
                 const Tensor& labels) { return cross_entropy(logits, labels); },
      .optimize = [](std::vector<Tensor> parameters,
                     float learning_rate) -> std::unique_ptr<Optimizer> {
        return std::make_unique<Adam>(std::move(parameters),
                                      Adam::Options{.learning_rate = learning_rate});
      },
      .learning_rate = 1e-3f,
      .classifies = true};
}

}  // namespace backplane::models
