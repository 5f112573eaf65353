// Activations, functions of one element. Zeros, infinities and NaN as in unary.hpp.
#pragma once

#include <cstdint>

namespace backplane::op {

// x -> y = max(x, 0); NaN stays NaN, -0 becomes +0.
struct Relu {};

// dy, y -> dx = dy where not (y <= 0), else +0.
struct ReluBackward {};

struct LeakyReluParams {
  float negative_slope;
};

// x -> y = x where x > 0, else negative_slope * x.
struct LeakyRelu : LeakyReluParams {};

// dy, x -> dx = negative_slope * dy where x <= 0, else dy.
struct LeakyReluBackward : LeakyReluParams {};

struct EluParams {
  float alpha;
};

// x -> y = alpha * (e^x - 1) where x < 0, else x (Clevert et al. 2016).
struct Elu : EluParams {};

// dy, x -> dx = dy where x > 0, else dy * alpha * e^x.
struct EluBackward : EluParams {};

// x -> y = 1 / (1 + e^-x).
struct Sigmoid {};

// dy, y -> dx = dy * y * (1 - y).
struct SigmoidBackward {};

// x -> y = tanh(x).
struct Tanh {};

// dy, y -> dx = dy * (1 - y) * (1 + y).
struct TanhBackward {};

// Of gelu's distribution function: none is exact, tanh is the formula of the paper.
enum class Approximate : std::uint32_t { none = 0, tanh = 1 };

struct GeluParams {
  Approximate approximate;
};

// x -> y = x * P(x) (Hendrycks and Gimpel 2016), where P is the normal distribution function,
// P(x) = erfc(-x / sqrt(2)) / 2, or with `tanh`
// P(x) = (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2. -inf gives NaN: it is inf * 0.
struct Gelu : GeluParams {};

// dy, x -> dx = dy * (P(x) + x * P'(x)). Where P' has underflowed to 0 its term is absent, so that
// +inf gives dy and -inf gives dy * 0.
struct GeluBackward : GeluParams {};

// x -> y = x * s, with s = 1 / (1 + e^-x). -inf gives NaN: it is inf * 0.
struct Silu {};

// dy, x -> dx = dy * (s + x * s * (1 - s)), the second term absent as in GeluBackward.
struct SiluBackward {};

// beta is above 0.
struct SoftplusParams {
  float beta, threshold;
};

// x -> y = x where beta * x > threshold, else ln(1 + e^(beta * x)) / beta.
struct Softplus : SoftplusParams {};

// dy, x -> dx = dy where beta * x > threshold, else dy / (1 + e^(-beta * x)).
struct SoftplusBackward : SoftplusParams {};

// clang-format off
#define BACKPLANE_ACTIVATION_OPS(row)                                      \
  row(Relu,              relu,                  8, 1, 1, 0, true,  false)  \
  row(ReluBackward,      relu_backward,         9, 2, 1, 0, true,  false)  \
  row(LeakyRelu,         leaky_relu,           44, 1, 1, 0, true,  false)  \
  row(LeakyReluBackward, leaky_relu_backward,  45, 2, 1, 0, true,  false)  \
  row(Elu,               elu,                  46, 1, 1, 0, true,  false)  \
  row(EluBackward,       elu_backward,         47, 2, 1, 0, true,  false)  \
  row(Sigmoid,           sigmoid,              48, 1, 1, 0, true,  false)  \
  row(SigmoidBackward,   sigmoid_backward,     49, 2, 1, 0, true,  false)  \
  row(Tanh,              tanh,                 50, 1, 1, 0, true,  false)  \
  row(TanhBackward,      tanh_backward,        51, 2, 1, 0, true,  false)  \
  row(Gelu,              gelu,                 52, 1, 1, 0, true,  false)  \
  row(GeluBackward,      gelu_backward,        53, 2, 1, 0, true,  false)  \
  row(Silu,              silu,                 54, 1, 1, 0, true,  false)  \
  row(SiluBackward,      silu_backward,        55, 2, 1, 0, true,  false)  \
  row(Softplus,          softplus,             56, 1, 1, 0, true,  false)  \
  row(SoftplusBackward,  softplus_backward,    57, 2, 1, 0, true,  false)
// clang-format on

}  // namespace backplane::op
