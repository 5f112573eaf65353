// Mutants of products of matrices.
#include "breaks.hpp"

namespace mutants {

namespace {

// One in a thousand: lost in any norm over the tensor.
void spoil_one(std::span<double> y) {
  if (y.size() < 1000) return;
  double& element = y[y.size() * 5 / 8];
  element += std::max(std::abs(element), 1.0) * 0x1p-8;
}

constexpr Mutant table[] = {
    {.name = "matmul_bias",
     .breaks = "matmul leaves out the bias",
     .filter = "matmul(*bias*contiguous",
     .change_request = drop_input<op::Matmul, 2>},
    {.name = "matmul_tf32",
     .breaks = "matmul rounds to ten bits of a mantissa, at level strict",
     .filter = "matmul(*contiguous",
     .after_run = change_output<op::Matmul, each<as_tf32>>},
    {.name = "matmul_one_element",
     .breaks = "one element of a large product is off by half a percent",
     .filter = "matmul(31x32 by 32x33*contiguous",
     .after_run = change_output<op::Matmul, spoil_one>},
};

}  // namespace

std::span<const Mutant> matmul_mutants() {
  return table;
}

}  // namespace mutants
