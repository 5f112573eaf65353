// Mutants of activations.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "relu_gradient",
     .breaks = "the gradient of relu is five times too large",
     .filter = "relu_backward(*contiguous",
     .after_run = change_output<op::ReluBackward, each<[](double dx) { return 5 * dx; }>>},
    {.name = "relu_nan",
     .breaks = "relu of NaN is 0",
     .filter = "relu(*special*",
     .after_run = change_output<op::Relu, each<[](double y) { return std::isnan(y) ? 0 : y; }>>},
    {.name = "gelu_gradient",
     .breaks = "the gradient of gelu is that of its tanh form",
     .filter = "gelu_backward(*contiguous",
     .change_request =
         change_params<op::GeluBackward, [](auto& p) { p.approximate = op::Approximate::tanh; }>},
    {.name = "leaky_relu_slope",
     .breaks = "leaky_relu has a slope of its own",
     .filter = "leaky_relu(*contiguous",
     .change_request = change_params<op::LeakyRelu, [](auto& p) { p.negative_slope = 0.1f; }>},
    {.name = "softplus_threshold",
     .breaks = "softplus is linear from 0 on",
     .filter = "softplus(*contiguous",
     .change_request = change_params<op::Softplus, [](auto& p) { p.threshold = 0; }>},
};

}  // namespace

std::span<const Mutant> activation_mutants() {
  return table;
}

}  // namespace mutants
