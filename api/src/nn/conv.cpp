// Convolutions as layers.
#include "backplane/nn/conv.hpp"

#include "check.hpp"
#include "nn/initial.hpp"
#include "nn/window.hpp"

namespace backplane {
namespace {

void check_channels(const char* layer, std::int64_t in_channels, std::int64_t out_channels,
                    std::int64_t groups) {
  if (in_channels < 1 || out_channels < 1) {
    detail::reject("{}: channel counts must be positive, got in {} and out {}", layer, in_channels,
                   out_channels);
  }
  if (groups < 1 || in_channels % groups != 0 || out_channels % groups != 0) {
    detail::reject("{}: groups must divide both channel counts, got groups {}, in {}, out {}",
                   layer, groups, in_channels, out_channels);
  }
}

}  // namespace

Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels, const Options& options)
    : options_{options.stride, options.padding, options.dilation, options.groups} {
  const std::int64_t groups = options.groups;
  detail::check_window("Conv2d", options.kernel, options.stride, options.padding, options.dilation);
  check_channels("Conv2d", in_channels, out_channels, groups);
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

Conv1d::Conv1d(std::int64_t in_channels, std::int64_t out_channels, const Options& options)
    : options_{options.stride, options.padding, options.dilation, options.groups} {
  const std::int64_t groups = options.groups;
  detail::check_window("Conv1d", {1, options.kernel}, {1, options.stride},
                       {0, options.padding.left, 0, options.padding.right}, {1, options.dilation});
  check_channels("Conv1d", in_channels, out_channels, groups);
  const std::int64_t fan_in = in_channels / groups * options.kernel;
  weight_ = detail::initial_parameter({out_channels, in_channels / groups, options.kernel}, fan_in);
  if (options.bias) bias_ = detail::initial_parameter({out_channels}, fan_in);
}

Tensor Conv1d::forward(const Tensor& x) {
  return conv1d(x, weight_, bias_, options_);
}

void Conv1d::visit(Visitor& visitor) {
  visitor.parameter("weight", weight_);
  visitor.parameter("bias", bias_);
}

ConvTranspose2d::ConvTranspose2d(std::int64_t in_channels, std::int64_t out_channels,
                                 const Options& options)
    : options_{options.stride, options.padding, options.output_padding, options.dilation,
               options.groups} {
  const std::int64_t groups = options.groups;
  detail::check_window("ConvTranspose2d", options.kernel, options.stride, options.padding,
                       options.dilation);
  check_channels("ConvTranspose2d", in_channels, out_channels, groups);
  const auto [extra_rows, extra_columns] = options.output_padding;
  if (extra_rows < 0 || extra_rows >= options.stride.rows || extra_columns < 0 ||
      extra_columns >= options.stride.columns) {
    detail::reject(
        "ConvTranspose2d: output_padding must be from 0 to below the stride, got {}x{}"
        " and stride {}x{}",
        extra_rows, extra_columns, options.stride.rows, options.stride.columns);
  }
  const auto [rows, columns] = options.kernel;
  const std::int64_t fan_in = out_channels / groups * rows * columns;
  weight_ = detail::initial_parameter({in_channels, out_channels / groups, rows, columns}, fan_in);
  if (options.bias) bias_ = detail::initial_parameter({out_channels}, fan_in);
}

Tensor ConvTranspose2d::forward(const Tensor& x) {
  return conv_transpose2d(x, weight_, bias_, options_);
}

void ConvTranspose2d::visit(Visitor& visitor) {
  visitor.parameter("weight", weight_);
  visitor.parameter("bias", bias_);
}

}  // namespace backplane
