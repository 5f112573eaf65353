// A mean loss as the mean of each sample's loss, so that samples can be told apart before it.
#include <algorithm>

#include "compile/passes.hpp"

namespace backplane::detail {

void fix_layout(Graph& graph, std::uint32_t storage) {
  const auto fix = [&](std::vector<GraphValue>& values) {
    for (GraphValue& value : values) {
      if (value.storage != storage || !value.free) continue;
      value.free = false;
      value.spec.strides = row_major(value.spec.shape);
    }
  };
  for (GraphStep& step : graph.steps) {
    fix(step.inputs);
    fix(step.outputs);
  }
  fix(graph.results);
}

namespace {

// cross_entropy(mean) -> cross_entropy(none), mean.
void split_forward(Graph& graph, std::size_t number) {
  const std::uint32_t loss_storage = graph.steps[number].outputs[0].storage;
  fix_layout(graph, loss_storage);
  GraphStep& step = graph.steps[number];
  GraphValue loss = step.outputs[0];
  const GraphValue rows = graph.add_value(loss.spec.dtype, {step.inputs[1].spec.shape[0]});
  step.operation = Operation(op::CrossEntropy{op::Reduction::none});
  step.outputs[0] = rows;
  loss.spec.shape = {1};  // a reduced axis stays, with one element
  loss.spec.strides = {1};
  graph.steps.insert(graph.steps.begin() + static_cast<std::ptrdiff_t>(number) + 1,
                     {.operation = Operation(op::Mean{1}), .inputs = {rows}, .outputs = {loss}});
}

// Each sample's loss has the same share in the mean's gradient.
void split_backward(Graph& graph, std::size_t number) {
  GraphStep& step = graph.steps[number];
  const std::int64_t samples = step.inputs[2].spec.shape[0];
  const GraphValue gradient = step.inputs[0];
  GraphValue share = graph.add_value(gradient.spec.dtype, {});
  share.free = false;
  GraphValue rows = share;
  rows.spec.shape = {samples};
  rows.spec.strides = {0};
  step.operation = Operation(op::CrossEntropyBackward{op::Reduction::none});
  step.inputs[0] = rows;
  const Operation divide(op::Affine{}, {1.0 / static_cast<double>(samples), 0.0});
  graph.steps.insert(graph.steps.begin() + static_cast<std::ptrdiff_t>(number),
                     {.operation = divide, .inputs = {gradient}, .outputs = {share}});
}

}  // namespace

void loss_by_sample(Graph& graph) {
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const auto* forward = graph.steps[i].operation.as<op::CrossEntropy>();
    const auto* backward = graph.steps[i].operation.as<op::CrossEntropyBackward>();
    if (forward != nullptr && forward->reduction == op::Reduction::mean) {
      split_forward(graph, i++);
    } else if (backward != nullptr && backward->reduction == op::Reduction::mean) {
      split_backward(graph, i++);
    }
  }
}

}  // namespace backplane::detail
