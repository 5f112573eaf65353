// Mutants of steps of optimizers.
#include "breaks.hpp"

namespace mutants {

namespace {

constexpr Mutant table[] = {
    {.name = "adam_bias_correction",
     .breaks = "adam_step leaves out the bias correction",
     .filter = "adam_step(*contiguous*",
     .before_run =
         change_scalars<op::AdamStep, [](auto& s) { s.correction1 = s.correction2 = 1; }>},
    {.name = "adam_decoupled",
     .breaks = "decoupled weight decay is added to the gradient",
     .filter = "adam_step(*decoupled*contiguous*",
     .change_request = change_params<op::AdamStep, [](auto& p) { p.decoupled = 0; }>},
    {.name = "adam_moments",
     .breaks = "adam_step swaps its betas",
     .filter = "adam_step(*contiguous*",
     .before_run = change_scalars<op::AdamStep, [](auto& s) { std::swap(s.beta1, s.beta2); }>},
    {.name = "sgd_weight_decay",
     .breaks = "sgd_step leaves out weight decay",
     .filter = "sgd_step(*decay*contiguous*",
     .before_run = change_scalars<op::SgdStep, [](auto& s) { s.weight_decay = 0; }>},
    {.name = "sgd_nesterov",
     .breaks = "sgd_step takes Nesterov's momentum for the plain one",
     .filter = "sgd_step(*nesterov*contiguous*",
     .change_request = change_params<op::SgdStep, [](auto& p) { p.nesterov = 0; }>},
    {.name = "gradient_norm",
     .breaks = "the norm of all gradients is a thousandth too small",
     .filter = "gradient_norm(*contiguous*",
     .after_run = change_output<op::GradientNorm, each<[](double norm) { return norm * 0.999; }>>},
};

}  // namespace

std::span<const Mutant> optimizer_mutants() {
  return table;
}

}  // namespace mutants
