// Mutants of operations that make one element of many.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "sum_precision",
     .breaks = "sum keeps ten bits of a mantissa",
     .filter = "sum(*contiguous",
     .after_run = change_output<op::Sum, each<as_tf32>>},
    {.name = "mean_count",
     .breaks = "mean divides by one element too many in 256",
     .filter = "mean(*contiguous",
     .after_run = change_output<op::Mean, each<[](double y) { return y * 256 / 257; }>>},
    {.name = "max_nan",
     .breaks = "a NaN loses in max",
     .filter = "max(*special*",
     .after_run = change_output<op::Max, each<[](double y) { return std::isnan(y) ? 0 : y; }>>},
    {.name = "arg_max_origin",
     .breaks = "arg_max counts from 1",
     .filter = "arg_max(*contiguous",
     .after_run = change_output<op::ArgMax, each<[](double y) { return y + 1; }>>},
    {.name = "cumsum_direction",
     .breaks = "cumsum ignores that it should run in reverse",
     .filter = "cumsum(*contiguous",
     .change_request = change_params<op::Cumsum, [](auto& p) { p.reverse = 0; }>},
};

}  // namespace

std::span<const Mutant> reduction_mutants() {
  return table;
}

}  // namespace mutants
