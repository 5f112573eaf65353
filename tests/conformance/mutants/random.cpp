// Mutants of what draws random numbers.
#include "breaks.hpp"

namespace mutants {

namespace {

// A dropped NaN or infinity stays one: 0 times either is NaN.
void multiply(const Run& run) {
  if (!is<op::Dropout>(run)) return;
  const std::vector<double> x = read_input(run, 0);
  edit_elements(run, 0, [&](std::span<double> y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] == 0) y[i] = x[i] * 0;
    }
  });
}

constexpr Mutant table[] = {
    {.name = "dropout_site",
     .breaks = "dropout draws the mask of another call site",
     .filter = "dropout(5x33*contiguous",
     .before_run = change_scalars<op::Dropout, [](auto& s) { s.site += 1; }>},
    {.name = "dropout_sample",
     .breaks = "dropout counts samples from the start of each batch",
     .filter = "dropout(5x33*contiguous",
     .before_run = change_scalars<op::Dropout, [](auto& s) { s.first_sample = 0; }>},
    {.name = "dropout_multiplies",
     .breaks = "dropout multiplies with the mask",
     .filter = "dropout(*special values*",
     .after_run = multiply},
    {.name = "dropout2d_elements",
     .breaks = "dropout2d drops elements, not channels",
     .filter = "dropout2d(*contiguous",
     .change_request = become<op::Dropout2d, op::Dropout>},
    {.name = "normal_step",
     .breaks = "normal draws the same numbers at every step",
     .filter = "normal(*contiguous",
     .before_run = change_scalars<op::Normal, [](auto& s) { s.draw.step = 0; }>},
    {.name = "uniform_seed",
     .breaks = "uniform uses half of the seed",
     .filter = "uniform(*contiguous",
     .before_run = change_scalars<op::Uniform, [](auto& s) { s.draw.seed_high = 0; }>},
};

}  // namespace

std::span<const Mutant> random_mutants() {
  return table;
}

}  // namespace mutants
