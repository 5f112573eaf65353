// What all classifiers of MNIST have in common: data, loss and optimizer.
#include "models/mnist/classifier.hpp"

#include <utility>

#include "models/mnist/dataset.hpp"

namespace backplane::models {

namespace {

// Of the training images' pixels, which lie in [0, 1].
constexpr float mean[] = {0.1307f};
constexpr float deviation[] = {0.3081f};

}  // namespace

Model mnist_classifier(std::string_view name, std::function<std::unique_ptr<Layer>()> make) {
  return {.name = name,
          .make = std::move(make),
          .load = [](const std::string& directory, std::uint64_t) { return load_mnist(directory); },
          .mean = mean,
          .deviation = deviation,
          .loss = classification_loss,
          .optimize = by_adam,
          .learning_rate = 1e-3f,
          .classifies = true};
}

}  // namespace backplane::models
