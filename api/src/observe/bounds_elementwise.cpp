// Error bounds of functions of one element, and of quotients and powers.
//
// Each is a number of roundings of the formula, relative to the result or, where two terms may
// cancel, to each term. An argument that is rounded itself adds its condition: e^z errs by |z| for
// each rounding of z. What has underflowed on the way is lost, times whatever multiplies it.
#include <cmath>
#include <numbers>
#include <type_traits>

#include "observe/bounds.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

// In units of u, of f32 in OpenCL, which promises the least (The OpenCL C Specification 1.2,
// section 7.4): 2.5 units in the last place for a quotient, 5 for tanh, 16 for erfc and pow.
constexpr double quotient = 5, tangent = 10, error_function = 32, power = 32;

double finite_or_zero(double value) {
  return std::isfinite(value) ? std::abs(value) : 0;
}

// `error` gives the roundings, times their magnitudes, from an element of each input and of the
// output: error(x, y), or error(dy, saved, dx).
template <class Error>
Bounds elementwise(const BoundRequest& request, const Error& error) {
  const std::vector<double> expected = as_doubles(request.expected[0]);
  const std::vector<double> first = as_doubles(request.inputs[0]);
  const std::vector<double> second =
      request.inputs.size() > 1 ? as_doubles(request.inputs[1]) : std::vector<double>();
  const Precision p = precision_of(request.expected[0].dtype());
  Bounds bounds{expected};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double roundings = 0, scale = 1 + finite_or_zero(first[i]);
    if constexpr (std::is_invocable_v<Error, double, double>) {
      roundings = error(first[i], expected[i]);
    } else {
      roundings = error(first[i], second[i], expected[i]);
      scale *= 1 + finite_or_zero(second[i]);
    }
    bounds[0][i] = p.unit * finite_or_zero(roundings) + 2 * p.store * finite_or_zero(expected[i]) +
                   p.tiny * scale;
  }
  return bounds;
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

// x * gate(x) and its derivative gate + x * slope: both values, each with its roundings.
struct Gate {
  double gate, gate_roundings, slope, slope_roundings;
};

// From one exponential, of an argument that is off by `argument` roundings of itself.
Gate logistic_gate(double x, double argument, double inner_slope) {
  const double gate = logistic(x), slope = gate * logistic(-x) * inner_slope;
  const double amplified = argument * std::abs(x);
  return {gate, elementary + quotient + 4 + amplified, slope,
          2 * (elementary + quotient + 4) + 2 * argument + amplified};
}

Gate gelu_gate(double x, op::Approximate approximate) {
  if (approximate == op::Approximate::none) {
    const double gate = std::erfc(-x / std::numbers::sqrt2) / 2;
    const double slope = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    return {gate, error_function + 4 + 2 * x * x, slope, elementary + 4 + 2 * x * x};
  }
  const double twice = std::sqrt(8 / std::numbers::pi), cubic = 0.044715;
  return logistic_gate(twice * (x + cubic * x * x * x), 6, twice * (1 + 3 * cubic * x * x));
}

double gated_error(double y, const Gate& g) {
  return std::abs(y) * (g.gate_roundings + 1);
}

double gated_gradient_error(double dy, double x, const Gate& g) {
  return std::abs(dy) *
         (g.gate * (g.gate_roundings + 2) + finite_or_zero(x * g.slope) * (g.slope_roundings + 3));
}

}  // namespace

Bounds div_bounds(const BoundRequest& request) {
  return relative(request, quotient + 1);
}

Bounds pow_bounds(const BoundRequest& request) {
  return relative(request, power + 1);
}

Bounds square_bounds(const BoundRequest& request) {
  return relative(request, 2);
}

Bounds elementary_bounds(const BoundRequest& request) {
  return relative(request, elementary + 1);
}

Bounds rsqrt_bounds(const BoundRequest& request) {
  return relative(request, elementary + quotient + 1);
}

Bounds reciprocal_bounds(const BoundRequest& request) {
  return relative(request, quotient + 1);
}

Bounds leaky_relu_bounds(const BoundRequest& request) {
  return relative(request, 2);
}

Bounds elu_bounds(const BoundRequest& request) {
  return elementwise(request, [](double, double y) { return std::abs(y) * (elementary + 2); });
}

Bounds elu_backward_bounds(const BoundRequest& request) {
  return elementwise(request,
                     [](double, double, double dx) { return std::abs(dx) * (elementary + 3); });
}

Bounds sigmoid_bounds(const BoundRequest& request) {
  return relative(request, elementary + quotient + 3);
}

Bounds sigmoid_backward_bounds(const BoundRequest& request) {
  return relative(request, 4);
}

Bounds tanh_bounds(const BoundRequest& request) {
  return relative(request, tangent + 1);
}

// 1 - y and 1 + y are off by one rounding each, of themselves.
Bounds tanh_backward_bounds(const BoundRequest& request) {
  return relative(request, 5);
}

Bounds gelu_bounds(const BoundRequest& request) {
  const op::Approximate form = request.operation.as<op::Gelu>()->approximate;
  return elementwise(request,
                     [=](double x, double y) { return gated_error(y, gelu_gate(x, form)); });
}

Bounds gelu_backward_bounds(const BoundRequest& request) {
  const op::Approximate form = request.operation.as<op::GeluBackward>()->approximate;
  return elementwise(request, [=](double dy, double x, double) {
    return gated_gradient_error(dy, x, gelu_gate(x, form));
  });
}

Bounds silu_bounds(const BoundRequest& request) {
  return elementwise(request,
                     [](double x, double y) { return gated_error(y, logistic_gate(x, 0, 1)); });
}

Bounds silu_backward_bounds(const BoundRequest& request) {
  return elementwise(request, [](double dy, double x, double) {
    return gated_gradient_error(dy, x, logistic_gate(x, 0, 1));
  });
}

// max(z, 0) + log1p(e^-|z|), both terms positive, of z = beta * x, which is rounded.
Bounds softplus_bounds(const BoundRequest& request) {
  const op::SoftplusParams params = *request.operation.as<op::Softplus>();
  return elementwise(request, [=](double x, double y) {
    return std::abs(y) * (2 * elementary + quotient + 3 + std::abs(params.beta * x));
  });
}

Bounds softplus_backward_bounds(const BoundRequest& request) {
  const op::SoftplusParams params = *request.operation.as<op::SoftplusBackward>();
  return elementwise(request, [=](double, double x, double dx) {
    return std::abs(dx) * (elementary + quotient + 4 + std::abs(params.beta * x));
  });
}

}  // namespace backplane::detail
