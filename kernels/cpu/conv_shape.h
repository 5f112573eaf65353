// The geometry of a convolution, as its kernels and the choice between them take it.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// src[images, channels, height, width] -> dst[images, outputs, out_height, out_width], both dense,
// with weight[outputs, channels / groups, kernel]. Rows, then columns; padding as zeros: top, left,
// bottom, right.
struct ConvShape {
  std::int64_t images = 1, channels = 1, height = 1, width = 1, outputs = 1;
  std::int64_t kernel[2] = {3, 3}, stride[2] = {1, 1}, padding[4] = {0, 0, 0, 0};
  std::int64_t dilation[2] = {1, 1}, groups = 1;

  [[nodiscard]] constexpr std::int64_t out_height() const { return places(height, 0); }
  [[nodiscard]] constexpr std::int64_t out_width() const { return places(width, 1); }

 private:
  [[nodiscard]] constexpr std::int64_t places(std::int64_t size, int axis) const {
    const std::int64_t reach = dilation[axis] * (kernel[axis] - 1) + 1;
    return (size + padding[axis] + padding[axis + 2] - reach) / stride[axis] + 1;
  }
};

// With a stride of 1, the gradient for src is a convolution of dst's with the weight turned round,
// padded by what the kernel reaches beyond the convolution's own padding. Negative where that is
// wider.
[[nodiscard]] constexpr ConvShape shape_of_backward_data(const ConvShape& forward) {
  ConvShape shape = forward;
  shape.channels = forward.outputs;
  shape.outputs = forward.channels;
  shape.height = forward.out_height();
  shape.width = forward.out_width();
  for (int side = 0; side < 4; ++side) {
    const int axis = side % 2;
    shape.padding[side] =
        forward.dilation[axis] * (forward.kernel[axis] - 1) - forward.padding[side];
  }
  return shape;
}

}  // namespace backplane::cpu
