// Operations that are several others in one pass over memory. `compile` makes them; a device may
// decline each of them, and then runs the parts.
#pragma once

#include <cstdint>

#include "backplane/plugin/ops/convolution.hpp"

namespace backplane::op {

// Functions whose gradient is a function of their result, as in activation.hpp.
enum class Activation : std::uint32_t { none = 0, relu = 1, sigmoid = 2, tanh = 3 };

// input, weight, (bias) -> y = activation(Conv2d).
struct Conv2dActivation : Conv2dParams {
  Activation activation;
};

// a, b, (bias) -> y = activation(Matmul).
struct MatmulActivation {
  Activation activation;
};

// Rows then columns; padding: top, left, bottom, right. A pool window has at most 254 elements.
struct Conv2dReluMaxPoolParams {
  Conv2dParams conv;
  std::int32_t pool_kernel[2], pool_stride[2], pool_padding[4];
};

// input[N,C,H,W], weight, bias[O], (mask[N,O]) -> y[N,O,PH,PW], winners u8 of the same shape:
// MaxPool2d of Relu of Conv2d. PH and PW are the caller's, as in MaxPool2d. A winner of 255 says
// that nothing flows back: no element of the window is above 0 or NaN, and y is +0. With a mask, y
// is multiplied by the mask of its channel; where that is 0, the channel is dropped: y is +0 and the
// winner 255, whatever the convolution gives.
struct Conv2dReluMaxPool : Conv2dReluMaxPoolParams {};

// dy[N,O,PH,PW], winners, weight -> dx[N,C,H,W]. The gradient of the convolution's result has each
// dy added where its winner stood; a dy whose winner is 255 isn't read, and where there is no
// winner the gradient is an absent term. A mask is not in it: multiply dy first.
struct Conv2dReluMaxPoolBackwardData : Conv2dReluMaxPoolParams {};

// input, dy, winners -> dweight, (dbias[O]). As above.
struct Conv2dReluMaxPoolBackwardWeight : Conv2dReluMaxPoolParams {};

// clang-format off
#define BACKPLANE_FUSED_OPS(row)                                                                           \
  row(Conv2dActivation,                conv2d_activation,                     78, 3, 1, 0, false, false)  \
  row(MatmulActivation,                matmul_activation,                     79, 3, 1, 0, false, false)  \
  row(Conv2dReluMaxPool,               conv2d_relu_max_pool,                  80, 4, 2, 0, false, false)  \
  row(Conv2dReluMaxPoolBackwardData,   conv2d_relu_max_pool_backward_data,    81, 3, 1, 0, false, false)  \
  row(Conv2dReluMaxPoolBackwardWeight, conv2d_relu_max_pool_backward_weight,  82, 3, 2, 3, false, false)
// clang-format on

}  // namespace backplane::op
