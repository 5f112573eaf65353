// Pooling, upsampling, flattening, reshaping: layers without parameters that change the shape.
#pragma once

#include "backplane/functional.hpp"
#include "backplane/nn/layer.hpp"

namespace backplane {

// x[N,C,H,W] -> [N,C,OH,OW], the maximum of each window: MaxPool2d({.kernel = 2}).
class MaxPool2d : public LayerOf<MaxPool2d> {
 public:
  // Error(invalid_argument) for sizes that aren't positive or a negative padding.
  explicit MaxPool2d(const MaxPool2dOptions& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  MaxPool2dOptions options_;
};

// x[N,C,H,W] -> [N,C,OH,OW], the mean of each window: AvgPool2d({.kernel = 2}).
class AvgPool2d : public LayerOf<AvgPool2d> {
 public:
  // Error(invalid_argument) for sizes that aren't positive or a negative padding.
  explicit AvgPool2d(const AvgPool2dOptions& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  AvgPool2dOptions options_;
};

// x[N,C,H,W] -> [N,C,rows,columns], see adaptive_avg_pool2d(); AdaptiveAvgPool2d(1) pools globally.
class AdaptiveAvgPool2d : public LayerOf<AdaptiveAvgPool2d> {
 public:
  explicit AdaptiveAvgPool2d(Size2d size);  // Error(invalid_argument) for sizes below 1

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  Size2d size_;
};

// x[N,C,H,W] -> [N,C,H * scale.rows,W * scale.columns], see interpolate().
class Upsample : public LayerOf<Upsample> {
 public:
  struct Options {
    Size2d scale = 2;
    Interpolation mode = Interpolation::nearest;
    bool align_corners = false;  // bilinear only
  };
  // Error(invalid_argument) for a scale below 1, or align_corners with nearest.
  explicit Upsample(const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  Options options_;
};

// Makes one axis of the axes first .. last; by default everything but the samples.
class Flatten : public LayerOf<Flatten> {
 public:
  explicit Flatten(std::int64_t first = 1, std::int64_t last = -1) : first_(first), last_(last) {}

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  std::int64_t first_, last_;
};

// Gives each sample another shape: x[N,...] -> [N, shape...]; one size may be -1.
class Reshape : public LayerOf<Reshape> {
 public:
  explicit Reshape(const Shape& sample) : sample_(sample) {}

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  Shape sample_;
};

}  // namespace backplane
