// Mutants of functions of one element.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "clamp_gradient",
     .breaks = "the gradient of clamp passes beyond the bounds",
     .filter = "clamp_backward(*contiguous",
     .change_request =
         change_params<op::ClampBackward, [](auto& p) { p.min = -INFINITY, p.max = INFINITY; }>},
    {.name = "exp_rounding",
     .breaks = "exp is off by 32 units in the last place",
     .filter = "exp(*contiguous",
     .after_run = change_output<op::Exp, each<[](double y) { return y * (1 + 0x1p-18); }>>},
    {.name = "neg_zero",
     .breaks = "neg of 0 is 0",
     .filter = "neg(*special*",
     .after_run = change_output<op::Neg, each<[](double y) { return y == 0 ? 0 : y; }>>},
    {.name = "sqrt_domain",
     .breaks = "sqrt of a negative number is 0",
     .filter = "sqrt(*special*",
     .after_run = change_output<op::Sqrt, each<[](double y) { return std::isnan(y) ? 0 : y; }>>},
    {.name = "sign_zero",
     .breaks = "sign of 0 is 1",
     .filter = "sign(*contiguous",
     .after_run = change_output<op::Sign, each<[](double y) { return y == 0 ? 1 : y; }>>},
};

}  // namespace

std::span<const Mutant> unary_mutants() {
  return table;
}

}  // namespace mutants
