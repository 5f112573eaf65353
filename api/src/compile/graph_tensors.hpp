// Tensors of a graph that exist by themselves.
#pragma once

#include "backplane/tensor.hpp"
#include "compile/graph.hpp"

namespace backplane::detail {

// A value that is there before the step and that no step writes: one that was folded was written
// once, and is a constant from then on.
[[nodiscard]] bool is_constant(const Graph& graph, const GraphUses& uses, const GraphValue& value);

// The tensor behind such a value.
[[nodiscard]] Tensor tensor_of(const Graph& graph, const GraphValue& value);

// The value of a tensor that becomes a constant of the graph.
[[nodiscard]] GraphValue add_constant(Graph& graph, const Tensor& tensor);

}  // namespace backplane::detail
