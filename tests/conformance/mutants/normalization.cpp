// Mutants of normalisation.
#include "breaks.hpp"

namespace mutants {

namespace {

void only_scale(const Run& run) {
  if (!is<op::StandardizeBackward>(run)) return;
  const std::vector<double> dy = read_input(run, 0);
  edit_elements(run, 0, [&](std::span<double> dx) { std::ranges::copy(dy, dx.begin()); });
}

constexpr Mutant table[] = {
    {.name = "standardize_epsilon",
     .breaks = "standardize leaves out epsilon",
     .filter = "standardize(*contiguous",
     .change_request = change_params<op::Standardize, [](auto& p) { p.epsilon = 0; }>},
    {.name = "standardize_variance",
     .breaks = "the variance is unbiased, not biased",
     .filter = "standardize(*contiguous",
     .after_run = change_output<op::Standardize, each<[](double v) { return v * 8 / 7; }>, 2>},
    {.name = "standardize_gradient",
     .breaks = "the gradient leaves out the mean and the variance",
     .filter = "standardize_backward(*contiguous",
     .after_run = only_scale},
    {.name = "scale_shift_shift",
     .breaks = "scale_shift leaves out the last shift",
     .filter = "scale_shift(*contiguous",
     .after_run = change_output<op::ScaleShift, zero_last>},
};

}  // namespace

std::span<const Mutant> normalization_mutants() {
  return table;
}

}  // namespace mutants
