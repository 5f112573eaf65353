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

// What a batch becomes whose stride is lost.
void repeat_first_matrix(const Run& run) {
  const bp_tensor_desc& y = run.plan.outputs[0];
  if (!is<op::Matmul>(run) || y.rank < 3) return;
  const auto matrix = static_cast<std::size_t>(y.dims[y.rank - 2] * y.dims[y.rank - 1]);
  edit_elements(run, 0, [matrix](std::span<double> elements) {
    for (std::size_t i = matrix; i < elements.size(); ++i) elements[i] = elements[i % matrix];
  });
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
    {.name = "matmul_narrow_result",
     .breaks = "a product of 16-bit factors is rounded to their type",
     .filter = "matmul(bf16, *contiguous",
     .after_run = change_output<op::Matmul, each<as_bf16>>},
    {.name = "matmul_one_element",
     .breaks = "one element of a large product is off by half a percent",
     .filter = "matmul(31x32 by 32x33*contiguous",
     .after_run = change_output<op::Matmul, spoil_one>},
    {.name = "matmul_batch",
     .breaks = "all products of a batch are the first one",
     .filter = "matmul(* of *contiguous",
     .after_run = repeat_first_matrix},
};

}  // namespace

std::span<const Mutant> matmul_mutants() {
  return table;
}

}  // namespace mutants
