// Pooling, upsampling, flattening and reshaping as layers.
#include "backplane/nn/pool.hpp"

#include "nn/window.hpp"

namespace backplane {

MaxPool2d::MaxPool2d(const MaxPool2dOptions& options) : options_(options) {
  detail::check_window("MaxPool2d", options.kernel, options.stride.value_or(options.kernel),
                       options.padding, options.dilation);
}

Tensor MaxPool2d::forward(const Tensor& x) {
  return max_pool2d(x, options_);
}

AvgPool2d::AvgPool2d(const AvgPool2dOptions& options) : options_(options) {
  detail::check_window("AvgPool2d", options.kernel, options.stride.value_or(options.kernel),
                       options.padding, 1);
}

Tensor AvgPool2d::forward(const Tensor& x) {
  return avg_pool2d(x, options_);
}

AdaptiveAvgPool2d::AdaptiveAvgPool2d(Size2d size) : size_(size) {
  detail::check_positive("AdaptiveAvgPool2d", "size", size);
}

Tensor AdaptiveAvgPool2d::forward(const Tensor& x) {
  return adaptive_avg_pool2d(x, size_);
}

Upsample::Upsample(const Options& options) : options_(options) {
  detail::check_positive("Upsample", "scale", options.scale);
  if (options.align_corners && options.mode == Interpolation::nearest) {
    detail::reject("Upsample: align_corners goes with bilinear, got nearest; leave it out");
  }
}

Tensor Upsample::forward(const Tensor& x) {
  if (x.rank() != 4) {
    detail::reject("Upsample: expects 4 axes, got {}", to_string(x.shape()));
  }
  const Size2d size(static_cast<std::int32_t>(x.size(2) * options_.scale.rows),
                    static_cast<std::int32_t>(x.size(3) * options_.scale.columns));
  return interpolate(x, size, {.mode = options_.mode, .align_corners = options_.align_corners});
}

Tensor Flatten::forward(const Tensor& x) {
  return x.flatten(first_, last_);
}

Tensor Reshape::forward(const Tensor& x) {
  Shape shape{x.size(0)};
  for (const std::int64_t size : sample_) shape.push_back(size);
  return x.reshape(shape);
}

}  // namespace backplane
