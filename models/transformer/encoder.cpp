// transformer: its data, its network, and how it is trained.
#include "models/transformer/encoder.hpp"

#include "models/synthetic.hpp"

namespace backplane::models {

namespace {

constexpr std::int64_t kinds = 10, length = 16, train_samples = 4096, test_samples = 1024;

TensorDataset draw(Numbers& numbers, std::int64_t samples) {
  std::vector<std::int64_t> tokens, labels;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t label = numbers.below(kinds);
    labels.push_back(label);
    for (std::int64_t place = 0; place < length; ++place) {
      const bool is_label = numbers.below(2) == 0;
      tokens.push_back(is_label ? label : numbers.below(kinds));
    }
  }
  const TensorOptions host{.device = Device::host()};
  return {tensor(tokens, {samples, length}, host), tensor(labels, {samples}, host)};
}

Data load(const std::string& directory, std::uint64_t seed) {
  if (!directory.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "transformer: its data are synthetic, got data directory '" + directory +
                    "'; leave it out");
  }
  return frequent_token_data(seed);
}

}  // namespace

TransformerClassifier::TransformerClassifier(const Options& options)
    : tokens_(options.vocabulary, options.features),
      places_(normal({options.length, options.features}, 0, 1, {.requires_grad = true})),
      classifier_(options.features, options.classes) {
  for (std::int64_t i = 0; i < options.layers; ++i) {
    encoder_.add(TransformerEncoderLayer(options.features, options.heads,
                                         {.hidden = options.hidden, .dropout = options.dropout}));
  }
}

Tensor TransformerClassifier::forward(const Tensor& tokens) {
  return classifier_(mean(encoder_(tokens_(tokens) + places_), {1}));
}

void TransformerClassifier::visit(Visitor& visitor) {
  visitor.child("tokens", tokens_);
  visitor.parameter("places", places_);
  visitor.child("encoder", encoder_);
  visitor.child("classifier", classifier_);
}

Data frequent_token_data(std::uint64_t seed) {
  Numbers numbers(seed);
  TensorDataset train = draw(numbers, train_samples);
  return {std::move(train), draw(numbers, test_samples)};
}

Model transformer_model() {
  return {
      .name = "transformer",
      .make = []() -> std::unique_ptr<Layer> { return std::make_unique<TransformerClassifier>(); },
      .load = load,
      .mean = {},
      .deviation = {},
      .loss = classification_loss,
      .optimize = by_adam,
      .learning_rate = 1e-3f,
      .classifies = true};
}

}  // namespace backplane::models
