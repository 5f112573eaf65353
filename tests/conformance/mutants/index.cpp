// Mutants of operations that pick and put elements by their positions.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "flip_axes",
     .breaks = "flip forgets the first of its axes",
     .filter = "flip(*contiguous",
     .change_request = change_params<op::Flip, [](auto& p) { p.axes &= p.axes - 1; }>},
    {.name = "top_k_smallest",
     .breaks = "top_k takes the largest where the smallest are asked for",
     .filter = "top_k(*contiguous",
     .change_request = change_params<op::TopK, [](auto& p) { p.largest = 1; }>},
    {.name = "gather_tail",
     .breaks = "the last element of gather is left out",
     .filter = "gather(*contiguous",
     .after_run = change_output<op::Gather, zero_last>},
    {.name = "scatter_add_tail",
     .breaks = "the last element of scatter_add is left out",
     .filter = "scatter_add(*contiguous",
     .after_run = change_output<op::ScatterAdd, zero_last>},
};

}  // namespace

std::span<const Mutant> index_mutants() {
  return table;
}

}  // namespace mutants
