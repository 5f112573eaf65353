// Runs, once, what depends on tensors alone that never change: its results are constants too.
#include <algorithm>

#include "compile/graph_tensors.hpp"
#include "compile/passes.hpp"
#include "device/device_state.hpp"
#include "dispatch/dispatch.hpp"

namespace backplane::detail {

void fold_constants(Graph& graph) {
  const GraphUses uses(graph);
  for (GraphStep& step : graph.steps) {
    const bool folds = !step.draws && !step.refreshed && step.adds_to == 0 &&
                       std::ranges::all_of(step.inputs,
                                           [&](const GraphValue& value) {
                                             return is_constant(graph, uses, value);
                                           }) &&
                       std::ranges::all_of(step.outputs, [&](const GraphValue& value) {
                         return graph.is_internal(value) && uses.writer(value) >= 0;
                       });
    if (!folds) continue;
    std::vector<Tensor> inputs, outputs;
    for (const GraphValue& input : step.inputs) inputs.push_back(tensor_of(graph, input));
    for (const GraphValue& output : step.outputs) {
      fix_layout(graph, output.storage);
      GraphStorage& storage = graph.storages[output.storage];
      storage.memory = std::make_shared<Storage>(*graph.device, storage.bytes);
      storage.kind = GraphStorage::Kind::outside;
    }
    for (const GraphValue& output : step.outputs) outputs.push_back(tensor_of(graph, output));
    run_in_place(step.operation, inputs, outputs);
    clear_step(step);
  }
  drop_cleared_steps(graph);
}

}  // namespace backplane::detail
