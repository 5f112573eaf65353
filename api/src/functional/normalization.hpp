// What the normalisations share: standardised lines, and the weight and bias behind them.
#pragma once

#include "functional/operands.hpp"

namespace backplane::detail {

struct Standardized {
  Tensor y;
  Tensor mean, variance;  // dim 1 along the axes, outside the graph
};

// (x - mean) / sqrt(variance + epsilon) over the axes whose bit is set, recorded as `name`.
[[nodiscard]] Standardized standardize(const char* name, const Tensor& x, std::uint32_t axes,
                                       float epsilon);

// y * weight + bias, each of which is repeated to y's shape, or undefined.
[[nodiscard]] Tensor weighted(const Tensor& y, const Tensor& weight, const Tensor& bias);

// Epsilon is a finite number from 0 on.
void check_epsilon(const char* name, float epsilon);

// x[N,C,...] and, where it is defined, a vector with a value for each channel.
void check_channels(const char* name, const Tensor& x);
void check_for_channels(const char* name, const char* role, const Tensor& values, const Tensor& x);

// A vector [C] as [C,1,...], so that it repeats along x[N,C,...]; undefined stays so.
[[nodiscard]] Tensor by_channel(const Tensor& values, const Tensor& x);

}  // namespace backplane::detail
