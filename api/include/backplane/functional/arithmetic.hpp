// Arithmetic of tensors and numbers.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// Element-wise with NumPy's broadcasting, of floats and of integers, which wrap. A C++ scalar takes
// the tensor's type; a fraction on an integer tensor is an Error.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
// A NaN wins. Where both are equal each one gets half of the gradient.
[[nodiscard]] Tensor maximum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor minimum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor affine(const Tensor& x, double scale, double shift);  // scale * x + shift
// Of floats alone; an integer tensor is an Error, since its type doesn't say how to round.
[[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);
// a^b, by the rules of IEEE 754, section 9.2.1. The gradient of b is 0 where a is 0 and b >= 0.
[[nodiscard]] Tensor pow(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor pow(const Tensor& x, double exponent);

[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return add(a, b);
}
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return sub(a, b);
}
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return mul(a, b);
}
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return div(a, b);
}
[[nodiscard]] inline Tensor operator+(const Tensor& x, double shift) {
  return affine(x, 1, shift);
}
[[nodiscard]] inline Tensor operator+(double shift, const Tensor& x) {
  return affine(x, 1, shift);
}
[[nodiscard]] inline Tensor operator-(const Tensor& x, double shift) {
  return affine(x, 1, -shift);
}
[[nodiscard]] inline Tensor operator-(double minuend, const Tensor& x) {
  return affine(x, -1, minuend);
}
[[nodiscard]] inline Tensor operator*(const Tensor& x, double scale) {
  return affine(x, scale, 0);
}
[[nodiscard]] inline Tensor operator*(double scale, const Tensor& x) {
  return affine(x, scale, 0);
}
[[nodiscard]] Tensor operator/(const Tensor& x, double divisor);
[[nodiscard]] Tensor operator/(double dividend, const Tensor& x);

}  // namespace backplane
