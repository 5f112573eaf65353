// Activations as layers.
#include "backplane/nn/activation.hpp"

namespace backplane {

Tensor ReLU::forward(const Tensor& x) {
  return relu(x);
}

Tensor LeakyReLU::forward(const Tensor& x) {
  return leaky_relu(x, negative_slope_);
}

Tensor ELU::forward(const Tensor& x) {
  return elu(x, alpha_);
}

Tensor Sigmoid::forward(const Tensor& x) {
  return sigmoid(x);
}

Tensor Tanh::forward(const Tensor& x) {
  return tanh(x);
}

Tensor GELU::forward(const Tensor& x) {
  return gelu(x, approximate_);
}

Tensor SiLU::forward(const Tensor& x) {
  return silu(x);
}

Tensor Softplus::forward(const Tensor& x) {
  return softplus(x, beta_, threshold_);
}

Tensor Softmax::forward(const Tensor& x) {
  return softmax(x, axis_);
}

Tensor LogSoftmax::forward(const Tensor& x) {
  return log_softmax(x, axis_);
}

}  // namespace backplane
