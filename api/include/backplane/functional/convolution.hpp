// Convolutions.
#pragma once

#include "backplane/functional/window.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

struct Conv2dOptions {
  Size2d stride = 1;
  Padding2d padding = 0;
  Size2d dilation = 1;
  std::int32_t groups = 1;
};
// x[N,C,H,W] weight[O,C/groups,KH,KW] (+ bias[O]) -> [N,O,OH,OW].
[[nodiscard]] Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv2dOptions& options = {});

struct Padding1d {
  std::int32_t left, right;
  constexpr Padding1d(std::int32_t both) : left(both), right(both) {}  // NOLINT: {.padding = 1}
  constexpr Padding1d(std::int32_t l, std::int32_t r) : left(l), right(r) {}
};
struct Conv1dOptions {
  std::int32_t stride = 1;
  Padding1d padding = 0;
  std::int32_t dilation = 1;
  std::int32_t groups = 1;
};
// x[N,C,L] weight[O,C/groups,K] (+ bias[O]) -> [N,O,OL]: conv2d of one row.
[[nodiscard]] Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv1dOptions& options = {});

struct ConvTranspose2dOptions {
  Size2d stride = 1;
  Padding2d padding = 0;
  Size2d output_padding = 0;  // added at the bottom and right; below the stride
  Size2d dilation = 1;
  std::int32_t groups = 1;
};
// The gradient of conv2d with respect to its input, as a function of its own: x[N,C,H,W]
// weight[C,O/groups,KH,KW] (+ bias[O]) -> [N,O,OH,OW], where
// OH = (H - 1) * stride - top - bottom + dilation * (KH - 1) + output_padding + 1.
[[nodiscard]] Tensor conv_transpose2d(const Tensor& x, const Tensor& weight,
                                      const Tensor& bias = {},
                                      const ConvTranspose2dOptions& options = {});

}  // namespace backplane
