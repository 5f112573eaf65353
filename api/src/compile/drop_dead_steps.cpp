// Drops steps whose outputs nobody reads, and those that only they read.
#include <algorithm>

#include "compile/passes.hpp"

namespace backplane::detail {

void drop_dead_steps(Graph& graph) {
  std::vector<bool> read(graph.storages.size(), false);
  for (const GraphValue& result : graph.results) read[result.storage] = true;
  std::vector<GraphStep> kept;
  for (std::size_t i = graph.steps.size(); i-- > 0;) {
    GraphStep& step = graph.steps[i];
    const bool needed = std::ranges::any_of(step.outputs, [&](const GraphValue& value) {
      return !graph.is_internal(value) || read[value.storage];
    });
    if (!needed) continue;
    for (const GraphValue& value : step.inputs) read[value.storage] = true;
    kept.push_back(std::move(step));
  }
  std::ranges::reverse(kept);
  graph.steps = std::move(kept);
}

}  // namespace backplane::detail
