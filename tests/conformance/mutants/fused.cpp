// Mutants of operations that are several others in one.
#include "breaks.hpp"

namespace mutants {

namespace {

void without_activation(op::Conv2dActivation& op) {
  op.activation = op::Activation::none;
}

// Of relu: what was cut off at 0 is cut off before the bias.
void bias_comes_last(const Run& run) {
  if (!is<op::MatmulActivation>(run) || run.inputs.size() < 3) return;
  const std::vector<double> bias = read_input(run, 2);
  edit_elements(run, 0, [&](std::span<double> y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double added = bias[i % bias.size()];
      y[i] = std::max(y[i] - added, 0.0) + added;
    }
  });
}

// The mask says which channels are dropped, but scales none.
void mask_without_scale(const Run& run) {
  if (!is<op::Conv2dReluMaxPool>(run) || run.inputs.size() < 4) return;
  const std::vector<double> mask = read_input(run, 3);
  edit_elements(run, 0, [&](std::span<double> y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double scale = mask[i / (y.size() / mask.size())];
      if (scale != 0) y[i] /= scale;
    }
  });
}

void first_tap_wins(std::span<double> winners) {
  for (double& winner : winners) {
    if (winner == 255) winner = 0;
  }
}

constexpr Mutant table[] = {
    {.name = "conv2d_activation_missing",
     .breaks = "conv2d_activation ends with the sum",
     .filter = "conv2d_activation(relu*contiguous",
     .change_request = change_params<op::Conv2dActivation, without_activation>},
    {.name = "conv2d_activation_nan",
     .breaks = "the relu of conv2d_activation loses NaN",
     .filter = "conv2d_activation(relu*special*",
     .after_run =
         change_output<op::Conv2dActivation, each<[](double y) { return std::isnan(y) ? 0 : y; }>>},
    {.name = "matmul_activation_bias",
     .breaks = "the bias is added behind relu",
     .filter = "matmul_activation(relu*bias*contiguous",
     .after_run = bias_comes_last},
    {.name = "conv2d_relu_max_pool_mask",
     .breaks = "the mask drops channels, but scales none",
     .filter = "conv2d_relu_max_pool(*mask*contiguous",
     .after_run = mask_without_scale},
    {.name = "conv2d_relu_max_pool_no_winner",
     .breaks = "the first tap wins where nothing is above 0",
     .filter = "conv2d_relu_max_pool(*contiguous",
     .after_run = change_output<op::Conv2dReluMaxPool, first_tap_wins, 1>},
    {.name = "conv2d_relu_max_pool_stride",
     .breaks = "the gradient takes windows for tiles",
     .filter = "conv2d_relu_max_pool_backward_data(*stride 2*contiguous",
     .change_request =
         change_params<op::Conv2dReluMaxPoolBackwardData,
                       [](auto& p) { std::ranges::copy(p.pool_kernel, p.pool_stride); }>},
    {.name = "conv2d_relu_max_pool_bias_gradient",
     .breaks = "the gradient of the bias misses its last channel",
     .filter = "conv2d_relu_max_pool_backward_weight(*bias*contiguous",
     .after_run = change_output<op::Conv2dReluMaxPoolBackwardWeight, zero_last, 1>},
};

}  // namespace

std::span<const Mutant> fused_mutants() {
  return table;
}

}  // namespace mutants
