// Pooling, flattening and reshaping as layers.
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

Tensor Flatten::forward(const Tensor& x) {
  return x.flatten(first_, last_);
}

Tensor Reshape::forward(const Tensor& x) {
  Shape shape{x.size(0)};
  for (const std::int64_t size : sample_) shape.push_back(size);
  return x.reshape(shape);
}

}  // namespace backplane
