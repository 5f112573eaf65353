// Mutants of copy and fill.
#include "breaks.hpp"

namespace mutants {

namespace {

void cut_to_bf16(const Run& run) {
  if (!is<op::Copy>(run) || run.plan.outputs[0].dtype != BP_BF16) return;
  const std::vector<double> x = read_input(run, 0);
  edit_elements(run, 0, [&](std::span<double> y) { std::ranges::copy(x, y.begin()); });
}

constexpr Mutant table[] = {
    {.name = "copy_tail",
     .breaks = "the last element of a copy is left out",
     .filter = "copy(f32 to f32*contiguous",
     .after_run = change_output<op::Copy, zero_last>},
    {.name = "copy_rounding",
     .breaks = "f32 to bf16 is cut, not rounded",
     .filter = "copy(f32 to bf16*contiguous",
     .after_run = cut_to_bf16},
    {.name = "copy_saturation",
     .breaks = "f32 to i8 wraps where it should saturate",
     .filter = "copy(f32 to i8*",
     .after_run = change_output<op::Copy, each<[](double y) { return y == 127 ? -128 : y; }>>},
    {.name = "fill_value",
     .breaks = "fill rounds its value to an integer",
     .filter = "fill(*contiguous",
     .before_run =
         change_scalars<op::Fill, [](auto& s) { s.value = std::nearbyint(s.value) + 1; }>},
};

}  // namespace

std::span<const Mutant> memory_mutants() {
  return table;
}

}  // namespace mutants
