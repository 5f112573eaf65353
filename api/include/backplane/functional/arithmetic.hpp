// Arithmetic of tensors and numbers.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// Element-wise with NumPy's broadcasting. A C++ scalar takes the tensor's type; a fraction on an
// integer tensor is an Error.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor affine(const Tensor& x, double scale, double shift);  // scale * x + shift
[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return add(a, b);
}
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return mul(a, b);
}
[[nodiscard]] inline Tensor operator+(const Tensor& x, double shift) {
  return affine(x, 1, shift);
}
[[nodiscard]] inline Tensor operator*(const Tensor& x, double scale) {
  return affine(x, scale, 0);
}

}  // namespace backplane
