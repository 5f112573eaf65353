// Products of matrices.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// a[M,K] b[K,N] (+ bias[N]) -> [M,N].
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b, const Tensor& bias = {});
// x[N,in] weight[out,in] (+ bias[out]) -> [N,out].
[[nodiscard]] Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

}  // namespace backplane
