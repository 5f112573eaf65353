// Products of matrices.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// a[...,M,K] b[...,K,N] -> [...,M,N]: one product for each index of the leading axes, which
// broadcast by NumPy's rules. One axis alone is a row on the left and a column on the right, which
// the result doesn't have. With a bias[N], which is added to each row, b is [K,N].
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b, const Tensor& bias = {});
// x[...,in] weight[out,in] (+ bias[out]) -> [...,out].
[[nodiscard]] Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

}  // namespace backplane
