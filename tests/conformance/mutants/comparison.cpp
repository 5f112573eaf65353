// Mutants of comparisons, logic and selection.
#include "breaks.hpp"

namespace mutants {

namespace {

// Both have the same dims and strides in the cases that are asked.
void swap_operands(Run& run) {
  if (is<op::Where>(run)) std::swap(run.inputs[1], run.inputs[2]);
}

constexpr Mutant table[] = {
    {.name = "less_equal_ties",
     .breaks = "less_equal is false of equal operands",
     .filter = "less_equal(*contiguous",
     .change_request = become<op::LessEqual, op::Less>},
    {.name = "logical_xor_both",
     .breaks = "logical_xor is true of two true operands",
     .filter = "logical_xor(*contiguous",
     .change_request = become<op::LogicalXor, op::LogicalOr>},
    {.name = "not_equal_larger",
     .breaks = "not_equal is false where the first operand is larger",
     .filter = "not_equal(*contiguous",
     .change_request = become<op::NotEqual, op::Less>},
    {.name = "where_swapped",
     .breaks = "where takes its operands in the other order",
     .filter = "where(*contiguous",
     .before_run = swap_operands},
};

}  // namespace

std::span<const Mutant> comparison_mutants() {
  return table;
}

}  // namespace mutants
