// Products of matrices, normalisations and losses of ONNX.
#include <optional>

#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

using Outputs = std::vector<Tensor>;

Outputs general_product(Node& node) {
  Tensor a = node.input(0), b = node.input(1);
  if (node.integer("transA", 0) != 0) a = a.transpose(0, 1);
  if (node.integer("transB", 0) != 0) b = b.transpose(0, 1);
  const Tensor product = matmul(a, b) * static_cast<double>(node.real("alpha", 1));
  const float beta = node.real("beta", 1);
  return {node.has_input(2) ? product + node.input(2) * static_cast<double>(beta) : product};
}

// With statistics of its own it hands on biased variances, which the library doesn't.
Outputs batch_normalized(Node& node) {
  if (node.integer("training_mode", 0) != 0) throw PassedOver("running variances that are biased");
  const float epsilon = node.real("epsilon", 1e-5f);
  (void)node.real("momentum", 0.9f);
  return {batch_norm(node.input(0), node.input(3), node.input(4), node.input(1), node.input(2),
                     {.epsilon = epsilon})};
}

Outputs layer_normalized(Node& node) {
  const Tensor x = node.input(0);
  const float epsilon = node.real("epsilon", 1e-5f);
  const std::size_t first = x.shape().axis(node.integer("axis", -1), "axis");
  std::vector<std::int64_t> axes;
  Shape normalized;
  for (std::size_t axis = first; axis < x.rank(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
    normalized.push_back(x.shape()[axis]);
  }
  return {layer_norm(x, normalized, node.input(1), node.input(2), epsilon), mean(x, axes, true),
          rsqrt(var(x, axes, 0, true) + static_cast<double>(epsilon))};
}

Outputs instance_normalized(Node& node) {
  const Tensor x = node.input(0);
  return {group_norm(x, x.size(1), node.input(1), node.input(2), node.real("epsilon", 1e-5f))};
}

Outputs mean_variance_normalized(Node& node) {
  const Tensor x = node.input(0);
  const auto axes = node.integers("axes", {0, 2, 3});
  return {(x - mean(x, axes, true)) / (stddev(x, axes, 0, true) + 1e-9)};
}

Reduction reduction_of(Node& node) {
  const std::string name = node.text("reduction", "mean");
  if (name == "none") return Reduction::none;
  return name == "sum" ? Reduction::sum : Reduction::mean;
}

std::optional<std::int32_t> ignored_label(Node& node) {
  if (!node.has("ignore_index")) return {};
  return static_cast<std::int32_t>(node.integer("ignore_index", 0));
}

Tensor labels_of(Node& node) {
  return cast(node.input(1), DType::i64);
}

Outputs negative_log_likelihood(Node& node) {
  return {nll_loss(node.input(0), labels_of(node),
                   {.reduction = reduction_of(node),
                    .ignore_index = ignored_label(node),
                    .weight = node.input(2)})};
}

Outputs softmax_cross_entropy(Node& node) {
  const CrossEntropyOptions options{.reduction = reduction_of(node),
                                    .ignore_index = ignored_label(node),
                                    .weight = node.input(2)};
  return {cross_entropy(node.input(0), labels_of(node), options), log_softmax(node.input(0), 1)};
}

}  // namespace

Operators products_and_losses() {
  return {
      {"BatchNormalization", batch_normalized},
      {"Gemm", general_product},
      {"InstanceNormalization", instance_normalized},
      {"LayerNormalization", layer_normalized},
      {"MatMul", [](Node& n) { return Outputs{matmul(n.input(0), n.input(1))}; }},
      {"MeanVarianceNormalization", mean_variance_normalized},
      {"NegativeLogLikelihoodLoss", negative_log_likelihood},
      {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
  };
}

}  // namespace onnx_nodes
