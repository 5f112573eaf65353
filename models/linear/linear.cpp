// linear: its data, its network, and how it is trained.
#include "models/linear/linear.hpp"

#include "models/synthetic.hpp"

namespace backplane::models {

namespace {

constexpr std::size_t inputs = 10, outputs = 2, train_samples = 4096, test_samples = 1024;

TensorDataset draw(Numbers& numbers, const std::vector<float>& weight, std::size_t samples) {
  std::vector<float> x(samples * inputs), y(samples * outputs);
  for (float& value : x) value = numbers.within(1);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t sample = i / outputs, output = i % outputs;
    double sum = numbers.within(0.1f);
    for (std::size_t k = 0; k < inputs; ++k) {
      sum += double{weight[output * inputs + k]} * double{x[sample * inputs + k]};
    }
    y[i] = static_cast<float>(sum);
  }
  const auto rows = static_cast<std::int64_t>(samples);
  const Device host = Device::host();
  return {tensor(x, {rows, inputs}, {.device = host}),
          tensor(y, {rows, outputs}, {.device = host})};
}

Data load(const std::string& directory, std::uint64_t seed) {
  if (!directory.empty()) {
    throw Error(
        ErrorCode::invalid_argument,
        "linear: its data are synthetic, got data directory '" + directory + "'; leave it out");
  }
  return linear_data(seed);
}

}  // namespace

Data linear_data(std::uint64_t seed) {
  Numbers numbers(seed);
  std::vector<float> weight(inputs * outputs);
  for (float& value : weight) value = numbers.within(1);
  TensorDataset train = draw(numbers, weight, train_samples);
  return {std::move(train), draw(numbers, weight, test_samples)};
}

Model linear_model() {
  return {.name = "linear",
          .make = []() -> std::unique_ptr<Layer> {
            return std::make_unique<Linear>(std::int64_t{inputs}, std::int64_t{outputs});
          },
          .load = load,
          .mean = {},
          .deviation = {},
          .loss = [](const Tensor& y, const Tensor& target) { return mse_loss(y, target); },
          .optimize = [](std::vector<Tensor> parameters,
                         float learning_rate) -> std::unique_ptr<Optimizer> {
            return std::make_unique<SGD>(std::move(parameters),
                                         SGD::Options{.learning_rate = learning_rate});
          },
          .learning_rate = 0.01f,
          .classifies = false};
}

}  // namespace backplane::models
