// conv1d: conv2d of one row.
#include "functional/convolution.hpp"

namespace backplane {

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv1dOptions& options) {
  const auto [left, right] = options.padding;
  const Conv2dOptions of_row{.stride = {1, options.stride},
                             .padding = {0, left, 0, right},
                             .dilation = {1, options.dilation},
                             .groups = options.groups};
  detail::check_params(
      "conv1d", {{1, options.stride}, {0, left, 0, right}, {1, options.dilation}, options.groups});
  detail::check_operands("conv1d", x, weight, bias, 3, options.groups);
  const std::int64_t length =
      detail::places("conv1d", x, weight, 2, left + right, options.dilation, options.stride);
  const Tensor rows = x.reshape({x.size(0), x.size(1), 1, x.size(2)});
  const Tensor kernel = weight.reshape({weight.size(0), weight.size(1), 1, weight.size(2)});
  return conv2d(rows, kernel, bias, of_row).reshape({x.size(0), weight.size(0), length});
}

}  // namespace backplane
