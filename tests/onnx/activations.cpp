// Activations of ONNX.
#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

Tensor clip(Node& node) {
  ClampOptions bounds;
  if (node.has_input(1)) bounds.min = static_cast<float>(node.input_number(1));
  if (node.has_input(2)) bounds.max = static_cast<float>(node.input_number(2));
  return bounds.min || bounds.max ? clamp(node.input(0), bounds) : node.input(0);
}

Tensor hard_sigmoid(const Tensor& x, double alpha, double beta) {
  return clamp(affine(x, alpha, beta), {.min = 0.0f, .max = 1.0f});
}

Tensor hard_max(Node& node) {
  const Tensor x = node.input(0);
  const std::int64_t axis = node.integer("axis", -1);
  const Tensor largest = arg_max(x.transpose(axis, -1), -1);
  return one_hot(largest, x.size(axis), x.dtype()).transpose(axis, -1);
}

Tensor selu(Node& node) {
  const float alpha = node.real("alpha", 1.67326319217681884765625f);
  return elu(node.input(0), alpha) * node.real("gamma", 1.05070102214813232421875f);
}

Tensor shrink(Node& node) {
  const Tensor x = node.input(0);
  const float bias = node.real("bias", 0), bound = node.real("lambd", 0.5f);
  const Tensor upper = where(greater(x, bound), x - bias, x * 0.0);
  return where(less(x, -bound), x + bias, upper);
}

Tensor celu(Node& node) {
  const float alpha = node.real("alpha", 1);
  return elu(node.input(0) / alpha) * alpha;
}

Tensor thresholded(Node& node) {
  const Tensor x = node.input(0);
  return where(greater(x, node.real("alpha", 1)), x, x * 0.0);
}

Tensor parametric(const Tensor& x, const Tensor& slope) {
  return where(less(x, 0), slope * x, x);
}

}  // namespace

Operators activations() {
  using Outputs = std::vector<Tensor>;
  return {
      {"Celu", [](Node& n) { return Outputs{celu(n)}; }},
      {"Clip", [](Node& n) { return Outputs{clip(n)}; }},
      {"Elu", [](Node& n) { return Outputs{elu(n.input(0), n.real("alpha", 1))}; }},
      {"HardSigmoid",
       [](Node& n) {
         return Outputs{hard_sigmoid(n.input(0), n.real("alpha", 0.2f), n.real("beta", 0.5f))};
       }},
      {"HardSwish",
       [](Node& n) { return Outputs{n.input(0) * hard_sigmoid(n.input(0), 1.0 / 6, 0.5)}; }},
      {"Hardmax", [](Node& n) { return Outputs{hard_max(n)}; }},
      {"LeakyRelu",
       [](Node& n) { return Outputs{leaky_relu(n.input(0), n.real("alpha", 0.01f))}; }},
      {"LogSoftmax",
       [](Node& n) { return Outputs{log_softmax(n.input(0), n.integer("axis", -1))}; }},
      {"PRelu", [](Node& n) { return Outputs{parametric(n.input(0), n.input(1))}; }},
      {"Relu", [](Node& n) { return Outputs{relu(n.input(0))}; }},
      {"Selu", [](Node& n) { return Outputs{selu(n)}; }},
      {"Shrink", [](Node& n) { return Outputs{shrink(n)}; }},
      {"Sigmoid", [](Node& n) { return Outputs{sigmoid(n.input(0))}; }},
      {"Softmax", [](Node& n) { return Outputs{softmax(n.input(0), n.integer("axis", -1))}; }},
      {"Softplus", [](Node& n) { return Outputs{softplus(n.input(0))}; }},
      {"Softsign", [](Node& n) { return Outputs{n.input(0) / (abs(n.input(0)) + 1.0)}; }},
      {"Tanh", [](Node& n) { return Outputs{tanh(n.input(0))}; }},
      {"ThresholdedRelu", [](Node& n) { return Outputs{thresholded(n)}; }},
  };
}

}  // namespace onnx_nodes
