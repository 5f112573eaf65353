// Operators of ONNX that work element by element, and casts.
#include <limits>

#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

using Outputs = std::vector<Tensor>;

template <Tensor (*function)(const Tensor&)>
Outputs unary(Node& node) {
  return {function(node.input(0))};
}

template <Tensor (*function)(const Tensor&, const Tensor&)>
Outputs binary(Node& node) {
  return {function(node.input(0), node.input(1))};
}

template <Tensor (*function)(const Tensor&, const Tensor&)>
Tensor folded(Node& node) {
  Tensor result = node.input(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) result = function(result, node.input(i));
  return result;
}

Tensor average(Node& node) {
  return folded<add>(node) / static_cast<double>(node.inputs());
}

// The result has the type of the base.
Tensor power(const Tensor& base, const Tensor& exponent) {
  return pow(base, exponent.dtype() == base.dtype() ? exponent : cast(exponent, base.dtype()));
}

Tensor cast_to(const Tensor& x, std::int64_t type) {
  return type == bool_type ? not_equal(x, 0) : cast(x, element_type(type));
}

Tensor is_infinite(Node& node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = node.input(0);
  const bool above = node.integer("detect_positive", 1) != 0;
  const bool below = node.integer("detect_negative", 1) != 0;
  if (above && below) return logical_or(equal(x, infinity), equal(x, -infinity));
  if (!above && !below) throw PassedOver("IsInf that detects nothing");
  return equal(x, above ? infinity : -infinity);
}

// Where nothing is dropped: at inference, or with a ratio of 0.
Outputs kept(Node& node) {
  const double ratio = node.has_input(1) ? node.input_number(1) : node.real("ratio", 0.5f);
  (void)node.integer("seed", 0);
  if (node.has_input(2) && node.input_number(2) != 0 && ratio != 0) {
    throw PassedOver("random numbers of its own");
  }
  const Tensor x = node.input(0);
  return {x, ones(x.shape(), {.dtype = DType::u8, .device = x.device()})};
}

}  // namespace

Operators elementwise() {
  return {
      {"Abs", unary<abs>},
      {"Add", binary<add>},
      {"And", binary<logical_and>},
      {"Cast", [](Node& n) { return Outputs{cast_to(n.input(0), n.integer("to", 0))}; }},
      {"CastLike", [](Node& n) { return Outputs{cast(n.input(0), n.input(1).dtype())}; }},
      {"Div", binary<div>},
      {"Dropout", kept},
      {"Equal", binary<equal>},
      {"Exp", unary<exp>},
      {"Greater", binary<greater>},
      {"GreaterOrEqual", binary<greater_equal>},
      {"Identity", [](Node& n) { return Outputs{n.input(0)}; }},
      {"IsInf", [](Node& n) { return Outputs{is_infinite(n)}; }},
      {"IsNaN", unary<is_nan>},
      {"Less", binary<less>},
      {"LessOrEqual", binary<less_equal>},
      {"Log", unary<log>},
      {"Max", [](Node& n) { return Outputs{folded<maximum>(n)}; }},
      {"Mean", [](Node& n) { return Outputs{average(n)}; }},
      {"Min", [](Node& n) { return Outputs{folded<minimum>(n)}; }},
      {"Mul", binary<mul>},
      {"Neg", unary<neg>},
      {"Not", unary<logical_not>},
      {"Or", binary<logical_or>},
      {"Pow", binary<power>},
      {"Reciprocal", unary<reciprocal>},
      {"Sign", unary<sign>},
      {"Sqrt", unary<sqrt>},
      {"Sub", binary<sub>},
      {"Sum", [](Node& n) { return Outputs{folded<add>(n)}; }},
      {"Where", [](Node& n) { return Outputs{where(n.input(0), n.input(1), n.input(2))}; }},
      {"Xor", binary<logical_xor>},
  };
}

}  // namespace onnx_nodes
