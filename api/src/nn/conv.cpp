// Conv2d as a layer.
#include "backplane/nn/conv.hpp"

#include "check.hpp"
#include "nn/initial.hpp"
#include "nn/window.hpp"

namespace backplane {

Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels, const Options& options)
    : options_{options.stride, options.padding, options.dilation, options.groups} {
  const std::int64_t groups = options.groups;
  if (in_channels < 1 || out_channels < 1) {
    detail::reject("Conv2d: channel counts must be positive, got in {} and out {}", in_channels,
                   out_channels);
  }
  detail::check_window("Conv2d", options.kernel, options.stride, options.padding, options.dilation);
  if (groups < 1 || in_channels % groups != 0 || out_channels % groups != 0) {
    detail::reject("Conv2d: groups must divide both channel counts, got groups {}, in {}, out {}",
                   groups, in_channels, out_channels);
  }
  const auto [rows, columns] = options.kernel;
  const std::int64_t fan_in = in_channels / groups * rows * columns;
  weight_ = detail::initial_parameter({out_channels, in_channels / groups, rows, columns}, fan_in);
  if (options.bias) bias_ = detail::initial_parameter({out_channels}, fan_in);
}

Tensor Conv2d::forward(const Tensor& x) {
  return conv2d(x, weight_, bias_, options_);
}

void Conv2d::visit(Visitor& visitor) {
  visitor.parameter("weight", weight_);
  visitor.parameter("bias", bias_);
}

}  // namespace backplane
