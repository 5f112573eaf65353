// Mutants of operations on two operands, and of affine.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "sub_sign",
     .breaks = "sub takes its operands in the other order",
     .filter = "sub(*contiguous",
     .after_run = change_output<op::Sub, each<[](double y) { return -y; }>>},
    {.name = "mul_nan",
     .breaks = "the last element of mul is NaN",
     .filter = "mul(*contiguous",
     .after_run = change_output<op::Mul,
                                [](std::span<double> y) {
                                  if (!y.empty()) y.back() = NAN;
                                }>},
    {.name = "add_tail",
     .breaks = "the last element of add is left out",
     .filter = "add(*contiguous",
     .after_run = change_output<op::Add, zero_last>},
    {.name = "affine_shift",
     .breaks = "affine leaves out the shift",
     .filter = "affine(*contiguous",
     .before_run = change_scalars<op::Affine, [](auto& s) { s.shift = 0; }>},
    {.name = "div_rounding",
     .breaks = "div multiplies with a reciprocal of 16 bits",
     .filter = "div(*contiguous",
     .after_run = change_output<op::Div, each<[](double y) { return y * (1 + 0x1p-16); }>>},
    {.name = "maximum_nan",
     .breaks = "a NaN loses in maximum",
     .filter = "maximum(*special*",
     .after_run = change_output<op::Maximum, each<[](double y) { return std::isnan(y) ? 0 : y; }>>},
};

}  // namespace

std::span<const Mutant> arithmetic_mutants() {
  return table;
}

}  // namespace mutants
