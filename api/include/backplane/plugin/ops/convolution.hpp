// Convolutions. N samples, C and O channels, H rows, W columns.
//
// The first two inputs have one type. Where it has 16 bits, products are added up in f32, and results
// and bias are f32; a device may decline results of the 16-bit type itself.
#pragma once

#include <cstdint>

namespace backplane::op {

// Rows then columns; padding: top, left, bottom, right.
struct Conv2dParams {
  std::int32_t stride[2], padding[4], dilation[2], groups;
};

// input[N,C,H,W], weight[O,C/groups,KH,KW], (bias[O]) -> y[N,O,OH,OW]. Cross-correlation; padding
// counts as zeros, and a device may multiply by them or leave them out: whether a weight that isn't
// finite makes a NaN over padding is left to it.
// OH = (H + top + bottom - dilation * (KH - 1) - 1) / stride + 1, rounded down.
struct Conv2d : Conv2dParams {};

// dy[N,O,OH,OW], weight -> dx[N,C,H,W].
struct Conv2dBackwardData : Conv2dParams {};

// input, dy -> dweight, (dbias[O]).
struct Conv2dBackwardWeight : Conv2dParams {};

// clang-format off
#define BACKPLANE_CONVOLUTION_OPS(row)                                           \
  row(Conv2d,               conv2d,                  11, 3, 1, 0, false, false)  \
  row(Conv2dBackwardData,   conv2d_backward_data,    12, 2, 1, 0, false, false)  \
  row(Conv2dBackwardWeight, conv2d_backward_weight,  13, 2, 2, 3, false, false)
// clang-format on

}  // namespace backplane::op
