// Reductions of ONNX, running sums, and the positions of extremes.
#include <utility>

#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

using Outputs = std::vector<Tensor>;
using Reduce = Tensor (*)(const Tensor& x, std::vector<std::int64_t> axes, bool keep);

Tensor sum_of_squares(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return sum(x * x, std::move(axes), keep);
}
Tensor sum_of_magnitudes(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return sum(abs(x), std::move(axes), keep);
}
Tensor length(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return sqrt(sum(x * x, std::move(axes), keep));
}
Tensor log_sum(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return log(sum(x, std::move(axes), keep));
}
// Shifted by the maximum, so that nothing overflows.
Tensor log_sum_exp(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  const Tensor most = max(x, axes, true);
  const Tensor result = log(sum(exp(x - most), axes, true)) + most;
  return keep ? result : sum(result, axes, false);
}

template <Reduce reduce>
Outputs reduced(Node& node) {
  const Tensor x = node.input(0);
  const auto axes = node.has_input(1) ? node.input_integers(1) : node.integers("axes");
  const bool keep = node.integer("keepdims", 1) != 0;
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0) return {x};
  (void)node.integer("noop_with_empty_axes", 0);
  return {reduce(x, axes, keep)};
}

// The last of equals is the first from behind.
template <Tensor (*position)(const Tensor&, std::int64_t)>
Outputs positions(Node& node) {
  const Tensor x = node.input(0);
  const std::int64_t axis = node.integer("axis", 0);
  const Tensor found =
      node.integer("select_last_index", 0) == 0
          ? position(x, axis)
          : affine(position(flip(x, {axis}), axis), -1, static_cast<double>(x.size(axis) - 1));
  if (node.integer("keepdims", 1) == 0) return {found};
  Shape kept = x.shape();
  kept[x.shape().axis(axis, "axis")] = 1;
  return {found.reshape(kept)};
}

Outputs running_sum(Node& node) {
  const Tensor x = node.input(0);
  const Tensor sums = cumsum(x, node.input_integers(1).at(0), node.integer("reverse", 0) != 0);
  return {node.integer("exclusive", 0) != 0 ? sums - x : sums};
}

}  // namespace

Operators reductions() {
  return {
      {"ArgMax", positions<arg_max>},
      {"ArgMin", positions<arg_min>},
      {"CumSum", running_sum},
      {"ReduceL1", reduced<sum_of_magnitudes>},
      {"ReduceL2", reduced<length>},
      {"ReduceLogSum", reduced<log_sum>},
      {"ReduceLogSumExp", reduced<log_sum_exp>},
      {"ReduceMax", reduced<max>},
      {"ReduceMean", reduced<mean>},
      {"ReduceMin", reduced<min>},
      {"ReduceProd", reduced<prod>},
      {"ReduceSum", reduced<sum>},
      {"ReduceSumSquare", reduced<sum_of_squares>},
  };
}

}  // namespace onnx_nodes
