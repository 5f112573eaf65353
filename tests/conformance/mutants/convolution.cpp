// Mutants of convolutions.
#include "breaks.hpp"

namespace mutants {

namespace {

// Of a 3x3 kernel, so that the output has the same dims.
void without_dilation(op::Conv2d& params) {
  for (std::int32_t& dilation : params.dilation) dilation = 1;
  for (std::int32_t& side : params.padding) side -= 1;
}

void repeat_first_half(std::span<double> elements) {
  std::ranges::copy(elements.first(elements.size() / 2),
                    elements.begin() + static_cast<std::ptrdiff_t>(elements.size() / 2));
}

constexpr Mutant table[] = {
    {.name = "conv2d_dilation",
     .breaks = "conv2d ignores dilation",
     .filter = "conv2d(2x2x11x13*contiguous",
     .change_request = change_params<op::Conv2d, without_dilation>},
    {.name = "conv2d_padding",
     .breaks = "conv2d pads the other sides",
     .filter = "conv2d(2x3x8x8*contiguous",
     .change_request = change_params<op::Conv2d,
                                     [](auto& p) {
                                       std::swap(p.padding[0], p.padding[2]),
                                           std::swap(p.padding[1], p.padding[3]);
                                     }>},
    {.name = "conv2d_groups",
     .breaks = "the second group has the first one's gradient",
     .filter = "conv2d_backward_weight(*groups 2*contiguous",
     .after_run = change_output<op::Conv2dBackwardWeight, repeat_first_half>},
    {.name = "conv2d_bias_gradient",
     .breaks = "the gradient of the bias is 0",
     .filter = "conv2d_backward_weight(2x3*bias*contiguous",
     .after_run = change_output<op::Conv2dBackwardWeight, each<[](double) { return 0.0; }>, 1>},
    {.name = "conv2d_backward_stride",
     .breaks = "the gradient of the input misses its last element",
     .filter = "conv2d_backward_data(2x3*contiguous",
     .after_run = change_output<op::Conv2dBackwardData, zero_last>},
};

}  // namespace

std::span<const Mutant> convolution_mutants() {
  return table;
}

}  // namespace mutants
