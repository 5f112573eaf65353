// The passes over a recorded graph, each in a file of its own. All keep what the step means: what
// is outside, escapes or is a result gets the values it got before.
#pragma once

#include "compile/graph.hpp"

namespace backplane::detail {

class Planner;

// Steps whose outputs nobody reads.
void drop_dead_steps(Graph& graph);

}  // namespace backplane::detail
