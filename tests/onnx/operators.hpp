// The operators of ONNX, each written in functions of the public API.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "node.hpp"

namespace onnx_nodes {

// Gives the outputs in ONNX's order, or at least the first of them. By version 17 of ONNX's
// operators.
using Operator = std::vector<backplane::Tensor> (*)(Node& node);
using Operators = std::map<std::string, Operator>;

[[nodiscard]] const Operators& operators();

// Its parts, a file each.
[[nodiscard]] Operators activations();
[[nodiscard]] Operators elementwise();
[[nodiscard]] Operators indexing();
[[nodiscard]] Operators interpolations();
[[nodiscard]] Operators products_and_losses();
[[nodiscard]] Operators reductions();
[[nodiscard]] Operators shapes();
[[nodiscard]] Operators windows();

// x with its axes in this order.
[[nodiscard]] backplane::Tensor permuted(const backplane::Tensor& x,
                                         std::vector<std::int64_t> axes);

}  // namespace onnx_nodes
