// The scalars of one repetition.
#pragma once

#include "backplane/random.hpp"
#include "compile/graph.hpp"

namespace backplane::detail {

// The operation of a step as it runs now: refreshed, with its draw at where the generator stands,
// or as it was recorded.
[[nodiscard]] Operation current_operation(const GraphStep& step, const GeneratorState& draws);

}  // namespace backplane::detail
