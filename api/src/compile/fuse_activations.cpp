// Fuses an activation into the convolution or product whose only reader it is.
#include <optional>

#include "compile/passes.hpp"
#include "compile/planner.hpp"

namespace backplane::detail {
namespace {

std::optional<op::Activation> activation_of(const Operation& operation) {
  if (operation.as<op::Relu>()) return op::Activation::relu;
  if (operation.as<op::Sigmoid>()) return op::Activation::sigmoid;
  if (operation.as<op::Tanh>()) return op::Activation::tanh;
  return std::nullopt;
}

std::optional<Operation> fused_with(const Operation& operation, op::Activation activation) {
  if (const auto* conv = operation.as<op::Conv2d>()) {
    return Operation(op::Conv2dActivation{*conv, activation});
  }
  if (operation.as<op::Matmul>()) return Operation(op::MatmulActivation{activation});
  return std::nullopt;
}

}  // namespace

void fuse_activations(Graph& graph, const Planner& planner) {
  const GraphUses uses(graph);
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    GraphStep& step = graph.steps[i];
    if (step.outputs.size() != 1 || step.adds_to != 0) continue;
    const int reader = uses.only_reader(graph, step.outputs[0]);
    if (reader < 0) continue;
    GraphStep& next = graph.steps[static_cast<std::size_t>(reader)];
    const auto activation = activation_of(next.operation);
    if (!activation || next.inputs.size() != 1 || next.inputs[0] != step.outputs[0]) continue;
    if (uses.writer(next.outputs[0]) != reader) continue;
    const auto operation = fused_with(step.operation, *activation);
    if (!operation) continue;
    const GraphStep fused{.operation = *operation, .inputs = step.inputs, .outputs = next.outputs};
    if (!planner.supports(fused)) continue;
    // At the place of the second: what it writes isn't needed earlier.
    next = fused;
    clear_step(step);
  }
  drop_cleared_steps(graph);
}

}  // namespace backplane::detail
