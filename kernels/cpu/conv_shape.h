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

}  // namespace backplane::cpu
