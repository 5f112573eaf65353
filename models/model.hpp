// Model: what the trainer must know of a network to train it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/backplane.hpp"

namespace backplane::models {

struct Data {
  TensorDataset train, test;
};

struct Model {
  std::string_view name;
  // The network on the default device, its weights drawn from the program's generator.
  std::function<std::unique_ptr<Layer>()> make;
  // The model's own data, or those in another directory; `seed` is for synthetic ones.
  std::function<Data(const std::string& directory, std::uint64_t seed)> load;
  // For inputs of u8: the mean and deviation of each channel, which normalize() takes out on the
  // device. Empty: inputs go to the network as they are.
  std::span<const float> mean, deviation;
  Tensor (*loss)(const Tensor& outputs, const Tensor& targets);
  std::unique_ptr<Optimizer> (*optimize)(std::vector<Tensor> parameters, float learning_rate);
  float learning_rate;
  bool classifies;  // targets are labels, so that there is an accuracy
};

// What most models are trained with: cross entropy of logits and labels, and Adam with its
// defaults.
[[nodiscard]] inline Tensor classification_loss(const Tensor& logits, const Tensor& labels) {
  return cross_entropy(logits, labels);
}
[[nodiscard]] inline std::unique_ptr<Optimizer> by_adam(std::vector<Tensor> parameters,
                                                        float learning_rate) {
  return std::make_unique<Adam>(std::move(parameters),
                                Adam::Options{.learning_rate = learning_rate});
}

}  // namespace backplane::models
