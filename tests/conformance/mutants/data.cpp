// Mutants of what makes batches of raw data.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "normalize_range",
     .breaks = "normalize divides by 256",
     .filter = "normalize(*contiguous",
     .after_run = change_output<op::Normalize, each<[](double y) { return y * 255 / 256; }>>},
    {.name = "normalize_rounding",
     .breaks = "normalize rounds twice",
     .filter = "normalize(*contiguous",
     .after_run = change_output<op::Normalize, each<[](double y) { return y * (1 + 0x1p-23); }>>},
    {.name = "normalize_tail",
     .breaks = "the last element of normalize is left out",
     .filter = "normalize(*contiguous",
     .after_run = change_output<op::Normalize, zero_last>},
};

}  // namespace

std::span<const Mutant> data_mutants() {
  return table;
}

}  // namespace mutants
