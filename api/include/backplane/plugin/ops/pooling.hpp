// Pooling over windows. N samples, C channels, H rows, W columns.
#pragma once

#include <cstdint>

namespace backplane::op {

// Rows then columns; padding: top, left, bottom, right.
struct MaxPool2dParams {
  std::int32_t kernel[2], stride[2], padding[4], dilation[2];
};

// x[N,C,H,W] -> y[N,C,OH,OW], winners[N,C,OH,OW]. OH and OW are the caller's: a last window may
// stick out (ceil mode). A winner is the position row * KW + column in
// its window (u8; u16 above 254 taps); the first of equals wins, a NaN wins over everything,
// padding never wins; all ones: the window has no element in the input (y is then -inf).
struct MaxPool2d : MaxPool2dParams {};

// dy, winners -> dx[N,C,H,W]: each dy is added where its winner stood.
struct MaxPool2dBackward : MaxPool2dParams {};

struct AvgPool2dParams {
  std::int32_t kernel[2], stride[2], padding[4];
  std::uint32_t count_include_pad;
};

// x[N,C,H,W] -> y[N,C,OH,OW], the sum over each window divided by its elements: those in the input,
// or, count_include_pad, in the input and its padding. What sticks out of the padding (ceil mode)
// never counts, as in PyTorch, and in ONNX from AveragePool-19 on. No element in the input: +0.
struct AvgPool2d : AvgPool2dParams {};

// dy -> dx[N,C,H,W].
struct AvgPool2dBackward : AvgPool2dParams {};

// x[N,C,H,W] -> y[N,C,OH,OW]: along each axis, output o is the mean of elements
// [floor(o * H / OH), ceil((o + 1) * H / OH)), as in PyTorch. No axis of x that y needs is empty.
struct AdaptiveAvgPool2d {};

// dy -> dx[N,C,H,W].
struct AdaptiveAvgPool2dBackward {};

// clang-format off
#define BACKPLANE_POOLING_OPS(row)                                                           \
  row(MaxPool2d,                 max_pool2d,                     14, 1, 2, 0, false, false)  \
  row(MaxPool2dBackward,         max_pool2d_backward,            15, 2, 1, 0, false, false)  \
  row(AvgPool2d,                 avg_pool2d,                    153, 1, 1, 0, false, false)  \
  row(AvgPool2dBackward,         avg_pool2d_backward,           154, 1, 1, 0, false, false)  \
  row(AdaptiveAvgPool2d,         adaptive_avg_pool2d,           155, 1, 1, 0, false, false)  \
  row(AdaptiveAvgPool2dBackward, adaptive_avg_pool2d_backward,  156, 1, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
