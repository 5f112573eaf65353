// Normalisation: over a batch, over the features of a sample, over groups of channels.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// x * scale + shift; scale and shift repeat to x's shape by NumPy's rules.
[[nodiscard]] Tensor scale_shift(const Tensor& x, const Tensor& scale, const Tensor& shift);

// All below: (x - mean) / sqrt(variance + epsilon) * weight + bias, with the biased variance;
// weight and bias may be undefined, and stand for 1 and 0 then.

// Mean and variance over the last axes, whose sizes are `normalized`; weight and bias have that
// shape. (Ba, Kiros and Hinton 2016)
[[nodiscard]] Tensor layer_norm(const Tensor& x, const Shape& normalized, const Tensor& weight = {},
                                const Tensor& bias = {}, float epsilon = 1e-5f);

// x[N,C,...]: mean and variance of each sample over each of `groups` groups of channels; weight and
// bias are [C]. (Wu and He 2018)
[[nodiscard]] Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight = {},
                                const Tensor& bias = {}, float epsilon = 1e-5f);

struct BatchNormOptions {
  bool training = false;
  float momentum = 0.1f;  // the share of a new batch in the running statistics
  float epsilon = 1e-5f;
};
// x[N,C,...]: mean and variance of each channel, over samples and positions; weight, bias and the
// running statistics are [C]. (Ioffe and Szegedy 2015)
//
// Training: those of the batch, which must have more than one value a channel; the running ones, if
// defined, become (1 - momentum) * running + momentum * batch, on the device, with the unbiased
// variance as in PyTorch. Otherwise: the running ones, which must be defined.
[[nodiscard]] Tensor batch_norm(const Tensor& x, const Tensor& running_mean,
                                const Tensor& running_var, const Tensor& weight = {},
                                const Tensor& bias = {}, const BatchNormOptions& options = {});

}  // namespace backplane
