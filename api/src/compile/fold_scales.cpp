// Folds a constant scale and shift of each channel, which is what batch norm is after training,
// into the convolution or product before it.
#include <optional>

#include "backplane/autograd.hpp"
#include "backplane/functional.hpp"
#include "compile/graph_tensors.hpp"
#include "compile/passes.hpp"

namespace backplane::detail {
namespace {

// The channels' own values, where a constant is the same along every axis but the second.
std::optional<Tensor> by_channel(const Graph& graph, const GraphValue& value) {
  const TensorSpec& spec = value.spec;
  if (spec.shape.rank() < 2 || spec.layout != BP_LAYOUT_STRIDED || value.free) return std::nullopt;
  for (std::size_t axis = 0; axis < spec.shape.rank(); ++axis) {
    if (axis != 1 && spec.shape[axis] > 1 && spec.strides[axis] != 0) return std::nullopt;
  }
  GraphValue channels = value;
  channels.spec.shape = {spec.shape[1]};
  channels.spec.strides = {spec.strides[1]};
  return tensor_of(graph, channels).contiguous();
}

struct Scale {
  Tensor factor, shift;
};

// A weight [outputs, ...] of a convolution, or b[inner, outputs] of a product.
Tensor scaled_weight(const Operation& operation, const Tensor& weight, const Tensor& factor) {
  if (operation.as<op::Matmul>()) return weight * factor.reshape({1, factor.size(0)});
  Shape each{factor.size(0)};
  while (each.rank() < weight.shape().rank()) each.push_back(1);
  return weight * factor.reshape(each);
}

void fold(Graph& graph, GraphStep& first, GraphStep& second, const Scale& scale) {
  const Tensor weight = tensor_of(graph, first.inputs[1]);
  const bool has_bias = first.inputs.size() > 2;
  Tensor bias = scale.shift;
  if (has_bias) bias = tensor_of(graph, first.inputs[2]) * scale.factor + scale.shift;
  GraphStep folded = first;
  folded.inputs = {
      first.inputs[0],
      add_constant(graph, scaled_weight(first.operation, weight, scale.factor).contiguous()),
      add_constant(graph, bias.contiguous())};
  folded.outputs = second.outputs;
  second = folded;
  clear_step(first);
}

}  // namespace

void fold_scales(Graph& graph) {
  const GraphUses uses(graph);
  const NoGradGuard no_graph;
  const std::size_t known = graph.storages.size();
  for (GraphStep& step : graph.steps) {
    const bool sums = step.operation.as<op::Conv2d>() ||
                      (step.operation.as<op::Matmul>() && step.inputs.size() >= 2 &&
                       step.inputs[1].spec.shape.rank() == 2);
    if (!sums || step.adds_to != 0 || step.outputs[0].storage >= known) continue;
    const int reader = uses.only_reader(graph, step.outputs[0]);
    if (reader < 0) continue;
    GraphStep& next = graph.steps[static_cast<std::size_t>(reader)];
    if (next.operation.as<op::ScaleShift>() == nullptr) continue;
    if (next.inputs[0] != step.outputs[0]) continue;
    bool constant = true;
    for (std::size_t i = 1; i < step.inputs.size(); ++i) {
      constant = constant && is_constant(graph, uses, step.inputs[i]);
    }
    for (std::size_t i = 1; i < 3; ++i)
      constant = constant && is_constant(graph, uses, next.inputs[i]);
    if (!constant) continue;
    const auto factor = by_channel(graph, next.inputs[1]),
               shift = by_channel(graph, next.inputs[2]);
    if (factor && shift) fold(graph, step, next, {*factor, *shift});
  }
  drop_cleared_steps(graph);
}

}  // namespace backplane::detail
