// Products of 16-bit operands by the plans of f32: the operands are widened into scratch memory.
//
// Nothing is lost by that: f32 holds every such operand, and every product of two, as it is.
#pragma once

#include <memory>

#include "plan.hpp"

namespace backplane::onednn {

// Whether oneDNN has kernels for bf16 that are worth having here: else it only imitates the
// instructions, and takes five times as long as with f32 (README.md has the figures).
[[nodiscard]] bool has_bf16_instructions();

// A plan for the request, whose first two inputs have 16 bits: widens them, then does what
// make_plan's answer to the same request in f32 does.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_widened(plugin::Request& request,
                                                         const MakePlan& make_plan);

}  // namespace backplane::onednn
