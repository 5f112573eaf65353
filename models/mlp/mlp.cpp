// mlp: the network, and how it is trained.
#include "models/mlp/mlp.hpp"

#include "models/mnist/classifier.hpp"

namespace backplane::models {

Sequential mlp() {
  return Sequential{Flatten(), Linear(28 * 28, 256), ReLU(), Linear(256, 128),
                    ReLU(),    Linear(128, 10)};
}

Model mlp_model() {
  return mnist_classifier(
      "mlp", []() -> std::unique_ptr<Layer> { return std::make_unique<Sequential>(mlp()); });
}

}  // namespace backplane::models
