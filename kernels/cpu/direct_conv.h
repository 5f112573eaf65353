// Convolutions by direct sums, for images of few channels above all: any kernel, stride, padding,
// dilation and groups. Sums in float, in the order of channels and taps: IEEE exact in both levels.
#pragma once

#include <cstddef>

#include "cpu/conv_epilogue.h"
#include "cpu/conv_shape.h"

namespace backplane::cpu {

// All images of the shape, on this thread; weight[outputs, channels / groups, kernel]. Of the
// epilogue bias and relu are known here, pool and mask are not. The workspace is aligned to 64
// bytes.
[[nodiscard]] std::size_t direct_conv_workspace_bytes(const ConvShape& shape);
void direct_conv(const ConvShape& shape, const float* src, const float* weight,
                 const ConvEpilogue& epilogue, float* dst, void* workspace);

// The gradient of the weight and, unless it is null, of the bias. Each lane of a vector sums up a
// share of the positions of all images, so the result depends on the width of vectors, and on
// nothing else. `adds`: to what is there.
[[nodiscard]] std::size_t direct_conv_backward_weight_workspace_bytes(const ConvShape& shape);
void direct_conv_backward_weight(const ConvShape& shape, const float* src, const float* diff_dst,
                                 bool adds, float* diff_weight, float* diff_bias, void* workspace);

}  // namespace backplane::cpu
