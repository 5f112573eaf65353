// Operators of ONNX that choose elements by their positions.
#include <algorithm>
#include <numeric>

#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

using Outputs = std::vector<Tensor>;

// ONNX counts negative indices from the end; the library takes none.
Tensor from_start(const Tensor& index, std::int64_t size) {
  const Tensor wide = cast(index, DType::i64);
  return where(less(wide, 0), wide + static_cast<double>(size), wide);
}

// 0, 1, ... without `moved`, which goes to the position `target`.
std::vector<std::int64_t> moved_axis(std::size_t rank, std::size_t moved, std::size_t target) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (i != moved) axes.push_back(static_cast<std::int64_t>(i));
  }
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(target), static_cast<std::int64_t>(moved));
  return axes;
}

// Rows of a table whose first axis is the one that is gathered along.
Outputs gather_rows(Node& node) {
  const Tensor x = node.input(0);
  const std::size_t axis = x.shape().axis(node.integer("axis", 0), "axis");
  const Tensor front = permuted(x, moved_axis(x.rank(), axis, 0));
  const Tensor index = from_start(node.input(1), front.size(0));
  Shape shape = index.shape();
  for (std::size_t i = 1; i < front.rank(); ++i) shape.push_back(front.shape()[i]);
  const Tensor rows = embedding(front.reshape({front.size(0), -1}), index.reshape({-1}));

  // The axes of the index go to where the one axis was.
  std::vector<std::int64_t> order(shape.rank());
  std::iota(order.begin(), order.end(), 0);
  const auto others = order.begin() + static_cast<std::ptrdiff_t>(index.rank());
  std::rotate(order.begin(), others, others + static_cast<std::ptrdiff_t>(axis));
  return {permuted(rows.reshape(shape), order)};
}

Outputs gather_elements(Node& node) {
  const Tensor x = node.input(0);
  const std::int64_t axis = node.integer("axis", 0);
  return {gather(x, axis, from_start(node.input(1), x.size(axis)))};
}

// Replacing: what is hit counts for nothing, and each place is hit once at most.
Outputs scatter_elements(Node& node) {
  const Tensor x = node.input(0), source = node.input(2);
  const std::int64_t axis = node.integer("axis", 0);
  const Tensor index = from_start(node.input(1), x.size(axis));
  const std::string reduction = node.text("reduction", "none");
  if (reduction == "add") return {scatter_add(x, axis, index, source)};
  if (reduction != "none") throw PassedOver("the reduction " + reduction);
  const Tensor nothing = zeros(x.shape(), {.dtype = x.dtype(), .device = x.device()});
  const Tensor one = ones(source.shape(), {.dtype = x.dtype(), .device = x.device()});
  const Tensor hits = scatter_add(nothing, axis, index, one);
  return {where(greater(hits, 0), scatter_add(nothing, axis, index, source), x)};
}

Outputs one_hot_values(Node& node) {
  const std::int64_t depth = node.input_integers(1).at(0);
  const Tensor values = node.input(2);  // off, on
  const Tensor index = from_start(node.input(0), depth);
  const Tensor hot = cast(one_hot(index, depth), values.dtype());
  const Tensor off = values.slice(0, 0, 1), on = values.slice(0, 1, 2);
  const Tensor chosen = hot * (on - off) + off;
  const std::size_t axis = chosen.shape().axis(node.integer("axis", -1), "axis");
  return {permuted(chosen, moved_axis(chosen.rank(), chosen.rank() - 1, axis))};
}

Outputs top(Node& node) {
  if (node.integer("sorted", 1) == 0) throw PassedOver("an order that ONNX leaves open");
  const bool largest = node.integer("largest", 1) != 0;
  const auto [values, positions] = top_k(node.input(0), node.input_integers(1).at(0),
                                         {.axis = node.integer("axis", -1), .largest = largest});
  return {values, positions};
}

}  // namespace

Operators indexing() {
  return {
      {"Gather", gather_rows},
      {"GatherElements", gather_elements},
      {"OneHot", one_hot_values},
      {"Scatter", scatter_elements},
      {"ScatterElements", scatter_elements},
      {"TopK", top},
  };
}

}  // namespace onnx_nodes
