// Mutants of interpolation.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "interpolate_corners",
     .breaks = "bilinear interpolation aligns the corners, or doesn't, the other way round",
     .filter = "interpolate(*contiguous",
     .change_request = change_params<op::Interpolate,
                                     [](auto& p) {
                                       if (p.mode == op::Interpolation::nearest) return;
                                       p.align_corners = !p.align_corners;
                                     }>},
    {.name = "interpolate_mode",
     .breaks = "bilinear interpolation takes the nearest element",
     .filter = "interpolate(*contiguous",
     .change_request = change_params<op::Interpolate,
                                     [](auto& p) {
                                       p = {{op::Interpolation::nearest, 0}};
                                     }>},
    {.name = "interpolate_gradient",
     .breaks = "the gradient of interpolation misses its last element",
     .filter = "interpolate_backward(*contiguous",
     .after_run = change_output<op::InterpolateBackward, zero_last>},
};

}  // namespace

std::span<const Mutant> interpolation_mutants() {
  return table;
}

}  // namespace mutants
