// Activations beyond relu: leaky_relu, elu, sigmoid, tanh, gelu, silu, softplus.
#include <cmath>

#include "functional/elementwise.hpp"

namespace backplane {

using detail::elementwise;
using detail::Saves;

namespace {

void check_finite(const char* function, const char* parameter, float value) {
  if (std::isfinite(value)) return;
  detail::reject("{}: {} must be a finite number, got {}", function, parameter, value);
}

}  // namespace

Tensor leaky_relu(const Tensor& x, float negative_slope) {
  check_finite("leaky_relu", "negative_slope", negative_slope);
  const op::LeakyReluParams params{negative_slope};
  return elementwise("leaky_relu", Operation(op::LeakyRelu{params}), x, Saves::input,
                     op::LeakyReluBackward{params});
}

Tensor elu(const Tensor& x, float alpha) {
  check_finite("elu", "alpha", alpha);
  const op::EluParams params{alpha};
  return elementwise("elu", Operation(op::Elu{params}), x, Saves::input, op::EluBackward{params});
}

Tensor sigmoid(const Tensor& x) {
  return elementwise("sigmoid", Operation(op::Sigmoid{}), x, Saves::output, op::SigmoidBackward{});
}

Tensor tanh(const Tensor& x) {
  return elementwise("tanh", Operation(op::Tanh{}), x, Saves::output, op::TanhBackward{});
}

Tensor gelu(const Tensor& x, Approximate approximate) {
  const op::GeluParams params{approximate};
  return elementwise("gelu", Operation(op::Gelu{params}), x, Saves::input,
                     op::GeluBackward{params});
}

Tensor silu(const Tensor& x) {
  return elementwise("silu", Operation(op::Silu{}), x, Saves::input, op::SiluBackward{});
}

Tensor softplus(const Tensor& x, float beta, float threshold) {
  check_finite("softplus", "beta", beta);
  if (beta <= 0) detail::reject("softplus: beta must be above 0, got {}", beta);
  if (std::isnan(threshold)) detail::reject("softplus: threshold must be a number, got nan");
  const op::SoftplusParams params{beta, threshold};
  return elementwise("softplus", Operation(op::Softplus{params}), x, Saves::input,
                     op::SoftplusBackward{params});
}

}  // namespace backplane
