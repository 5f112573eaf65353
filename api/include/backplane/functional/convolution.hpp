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

}  // namespace backplane
