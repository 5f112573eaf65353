// Images made larger or smaller.
#pragma once

#include "backplane/functional/window.hpp"
#include "backplane/plugin/ops/interpolation.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

using op::Interpolation;

struct InterpolateOptions {
  Interpolation mode = Interpolation::nearest;
  bool align_corners = false;  // bilinear: whether the corners of input and output coincide
};
// x[N,C,H,W] -> [N,C,rows,columns]. plugin/ops/interpolation.hpp has the formulas, which are
// PyTorch's; the gradient has the same bits each time.
[[nodiscard]] Tensor interpolate(const Tensor& x, Size2d size,
                                 const InterpolateOptions& options = {});

}  // namespace backplane
