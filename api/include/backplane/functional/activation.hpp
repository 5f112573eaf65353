// Activations, softmax among them.
#pragma once

#include "backplane/plugin/ops/activation.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

using op::Approximate;

// Activations. Parameters are named, and have the defaults, as in PyTorch.
[[nodiscard]] Tensor relu(const Tensor& x);
[[nodiscard]] Tensor leaky_relu(const Tensor& x, float negative_slope = 0.01f);
[[nodiscard]] Tensor elu(const Tensor& x, float alpha = 1);
[[nodiscard]] Tensor sigmoid(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
// x * P(X <= x) of a normal X: exact, or by the tanh formula of Hendrycks and Gimpel.
[[nodiscard]] Tensor gelu(const Tensor& x, Approximate approximate = Approximate::none);
[[nodiscard]] Tensor silu(const Tensor& x);  // x * sigmoid(x)
// ln(1 + e^(beta * x)) / beta, and x itself where beta * x > threshold. beta is above 0.
[[nodiscard]] Tensor softplus(const Tensor& x, float beta = 1, float threshold = 20);
[[nodiscard]] Tensor softmax(const Tensor& x, std::int64_t axis = -1);
[[nodiscard]] Tensor log_softmax(const Tensor& x, std::int64_t axis = -1);

}  // namespace backplane
