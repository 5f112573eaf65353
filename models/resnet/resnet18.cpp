// resnet18: the network, and how it is trained.
#include "models/resnet/resnet18.hpp"

#include <string>

#include "models/cifar/dataset.hpp"

namespace backplane::models {

namespace {

// Of CIFAR-10's training images, which lie in [0, 1].
constexpr float mean[] = {0.4914f, 0.4822f, 0.4465f};
constexpr float deviation[] = {0.2470f, 0.2435f, 0.2616f};

// A bias would be taken out again by the normalisation that follows.
Conv2d convolution(std::int64_t in, std::int64_t out, std::int32_t kernel, std::int32_t stride) {
  return Conv2d(in, out,
                {.kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false});
}

Data load(const std::string& directory, std::uint64_t seed) {
  return directory.empty() ? synthetic_images(seed) : load_cifar10(directory);
}

}  // namespace

ResidualBlock::ResidualBlock(std::int64_t in_channels, std::int64_t out_channels,
                             std::int32_t stride)
    : conv1_(convolution(in_channels, out_channels, 3, stride)),
      norm1_(out_channels),
      conv2_(convolution(out_channels, out_channels, 3, 1)),
      norm2_(out_channels) {
  if (stride == 1 && in_channels == out_channels) return;
  shortcut_.add(convolution(in_channels, out_channels, 1, stride));
  shortcut_.add(BatchNorm2d(out_channels));
}

Tensor ResidualBlock::forward(const Tensor& x) {
  const Tensor body = norm2_(conv2_(relu(norm1_(conv1_(x)))));
  return relu(body + (shortcut_.size() == 0 ? x : shortcut_(x)));
}

void ResidualBlock::visit(Visitor& visitor) {
  visitor.child("conv1", conv1_);
  visitor.child("bn1", norm1_);
  visitor.child("conv2", conv2_);
  visitor.child("bn2", norm2_);
  visitor.child("downsample", shortcut_);
}

ResNet18::ResNet18(const Options& options)
    : conv1_(convolution(3, options.width, 3, 1)),
      norm1_(options.width),
      classifier_(8 * options.width, options.classes) {
  std::int64_t in = options.width;
  for (int stage = 0; stage < 4; ++stage) {
    const std::int64_t out = options.width << stage;
    stages_.push_back(
        Sequential{ResidualBlock(in, out, stage == 0 ? 1 : 2), ResidualBlock(out, out, 1)});
    in = out;
  }
}

Tensor ResNet18::forward(const Tensor& x) {
  Tensor y = relu(norm1_(conv1_(x)));
  for (Sequential& stage : stages_) y = stage(y);
  return classifier_(backplane::mean(y, {2, 3}));
}

void ResNet18::visit(Visitor& visitor) {
  visitor.child("conv1", conv1_);
  visitor.child("bn1", norm1_);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    visitor.child("layer" + std::to_string(i + 1), stages_[i]);
  }
  visitor.child("fc", classifier_);
}

Model resnet18_model() {
  return {
      .name = "resnet18",
      .make = []() -> std::unique_ptr<Layer> { return std::make_unique<ResNet18>(); },
      .load = load,
      .mean = mean,
      .deviation = deviation,
      .loss = classification_loss,
      .optimize = [](std::vector<Tensor> parameters,
                     float learning_rate) -> std::unique_ptr<Optimizer> {
        return std::make_unique<SGD>(
            std::move(parameters),
            SGD::Options{.learning_rate = learning_rate, .momentum = 0.9f, .weight_decay = 5e-4f});
      },
      .learning_rate = 0.1f,
      .classifies = true};
}

}  // namespace backplane::models
