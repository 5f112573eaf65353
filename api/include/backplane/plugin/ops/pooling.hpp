// Pooling over windows. N samples, C channels, H rows, W columns.
#pragma once

#include <cstdint>

namespace backplane::op {

// Rows then columns; padding: top, left, bottom, right.
struct MaxPool2dParams {
  std::int32_t kernel[2], stride[2], padding[4], dilation[2];
};

// x[N,C,H,W] -> y[N,C,OH,OW], winners[N,C,OH,OW]. A winner is the position row * KW + column in
// its window (u8; u16 above 254 taps); the first of equals wins, a NaN wins over everything,
// padding never wins; all ones: the window has no element in the input (y is then -inf).
struct MaxPool2d : MaxPool2dParams {};

// dy, winners -> dx[N,C,H,W]: each dy is added where its winner stood.
struct MaxPool2dBackward : MaxPool2dParams {};

// clang-format off
#define BACKPLANE_POOLING_OPS(row)                                         \
  row(MaxPool2d,         max_pool2d,           14, 1, 2, 0, false, false)  \
  row(MaxPool2dBackward, max_pool2d_backward,  15, 2, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
