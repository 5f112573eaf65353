// Normalisation: lines of elements brought to mean 0 and variance 1, then scaled and shifted.
//
// batch_norm, layer_norm and group_norm differ in the axes that a line runs along, so they share
// these operations. The variance is saved, not 1 / sqrt(variance + epsilon): running statistics
// need it, and it can't be had back where epsilon is the larger one.
#pragma once

#include <cstdint>

namespace backplane::op {

// Bit i of `axes`: a line runs along axis i. epsilon is 0 or above.
struct StandardizeParams {
  std::uint32_t axes;
  float epsilon;
};

// x -> y = (x - mean) / sqrt(variance + epsilon), mean, variance, which have dim 1 along the axes.
// The variance is biased (a sum divided by the line's length) and taken around the mean in a second
// pass, never as E[x^2] - E[x]^2. A NaN or an infinity makes its whole line of y NaN. An empty line
// has mean and variance NaN.
struct Standardize : StandardizeParams {};

// dy, y, variance -> dx = (dy - mean(dy) - y * mean(dy * y)) / sqrt(variance + epsilon), with means
// over each line. That is the gradient with respect to x, through mean and variance too.
struct StandardizeBackward : StandardizeParams {};

// x, scale, shift -> y = x * scale + shift, of equal dims; a scale for each channel comes with
// strides of 0. Rounded once or twice.
struct ScaleShift {};

// clang-format off
#define BACKPLANE_NORM_OPS(row)                                               \
  row(Standardize,         standardize,          150, 1, 3, 0, false, false)  \
  row(StandardizeBackward, standardize_backward, 151, 3, 1, 0, false, false)  \
  row(ScaleShift,          scale_shift,          152, 3, 1, 0, true,  false)
// clang-format on

}  // namespace backplane::op
