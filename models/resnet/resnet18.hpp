// resnet18: a residual network for images of 32 x 32 pixels (He, Zhang, Ren and Sun 2016).
#pragma once

#include <optional>

#include "models/model.hpp"

namespace backplane::models {

// relu(body(x) + shortcut(x)), where body is conv 3, norm, ReLU, conv 3, norm, the first one with
// the stride; the shortcut is x itself, or where the shape changes conv 1 with the stride and norm.
// Names as in torchvision: conv1, bn1, conv2, bn2, downsample.
class ResidualBlock : public LayerOf<ResidualBlock> {
 public:
  ResidualBlock(std::int64_t in_channels, std::int64_t out_channels, std::int32_t stride);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

 private:
  Conv2d conv1_;
  BatchNorm2d norm1_;
  Conv2d conv2_;
  BatchNorm2d norm2_;
  Sequential shortcut_;  // empty: x itself
};

// x[N,3,32,32] -> logits[N,classes]: conv 3-width-3, norm, ReLU; four stages of two blocks, of
// width, 2 width, 4 width and 8 width channels, all but the first halving rows and columns; the
// mean of each channel; linear. With 64 and 10, 11,173,962 parameters. For images of this size the
// first convolution is a small one, and no pooling follows it.
class ResNet18 : public LayerOf<ResNet18> {
 public:
  struct Options {
    std::int64_t width = 64;
    std::int64_t classes = 10;
  };
  ResNet18() : ResNet18(Options{}) {}
  explicit ResNet18(const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

 private:
  Conv2d conv1_;
  BatchNorm2d norm1_;
  std::vector<Sequential> stages_;
  Linear classifier_;
};

// With CIFAR-10 where the data directory has it, and without one with synthetic images, see
// cifar/dataset.hpp; cross entropy; SGD at 0.1 with momentum 0.9 and weight decay 5e-4.
[[nodiscard]] Model resnet18_model();

}  // namespace backplane::models
