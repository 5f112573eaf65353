// Mutants of losses.
#include "breaks.hpp"

namespace mutants {

namespace {

template <class Op>
void sum_up(Op& params) {
  if (params.reduction == op::Reduction::mean) params.reduction = op::Reduction::sum;
}

constexpr Mutant table[] = {
    {.name = "mse_reduction",
     .breaks = "mse adds up where it should average",
     .filter = "mse(*mean*contiguous",
     .change_request = change_params<op::Mse, sum_up<op::Mse>>},
    {.name = "cross_entropy_reduction",
     .breaks = "cross_entropy adds up where it should average",
     .filter = "cross_entropy(*mean*contiguous",
     .change_request = change_params<op::CrossEntropy, sum_up<op::CrossEntropy>>},
    {.name = "cross_entropy_gradient",
     .breaks = "the gradient of cross_entropy has the other sign",
     .filter = "cross_entropy_backward(*contiguous",
     .after_run = change_output<op::CrossEntropyBackward, each<[](double dx) { return -dx; }>>},
    {.name = "mse_gradient",
     .breaks = "the gradient of mse lacks its factor 2",
     .filter = "mse_backward(*contiguous",
     .after_run = change_output<op::MseBackward, each<[](double dx) { return dx / 2; }>>},
    {.name = "nll_ignored",
     .breaks = "nll learns from the labels that it should ignore",
     .filter = "nll(*contiguous",
     .change_request = change_params<op::Nll, [](auto& p) { p.ignores = 0; }>},
    {.name = "huber_gradient",
     .breaks = "the gradient of huber bends at twice its delta",
     .filter = "huber_backward(*contiguous",
     .change_request = change_params<op::HuberBackward, [](auto& p) { p.delta *= 2; }>},
    {.name = "l1_gradient",
     .breaks = "the gradient of an l1 mean isn't divided by the count",
     .filter = "l1_backward(*contiguous",
     .change_request = change_params<op::L1Backward, sum_up<op::L1Backward>>},
};

}  // namespace

std::span<const Mutant> loss_mutants() {
  return table;
}

}  // namespace mutants
