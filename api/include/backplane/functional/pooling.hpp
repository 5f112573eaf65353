// Pooling over windows.
#pragma once

#include <optional>
#include <utility>

#include "backplane/functional/window.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

struct MaxPool2dOptions {
  Size2d kernel = 2;
  std::optional<Size2d> stride = {};  // default: the kernel
  Padding2d padding = 0;
  Size2d dilation = 1;
  bool ceil_mode = false;  // a last window may stick out, if it begins in the input or before it
};
[[nodiscard]] Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options = {});
// Also which element won in each window (its row * KW + column; u8, or u16 above 254 taps).
[[nodiscard]] std::pair<Tensor, Tensor> max_pool2d_with_winners(
    const Tensor& x, const MaxPool2dOptions& options = {});

struct AvgPool2dOptions {
  Size2d kernel = 2;
  std::optional<Size2d> stride = {};  // default: the kernel
  Padding2d padding = 0;
  bool ceil_mode = false;         // as in MaxPool2dOptions
  bool count_include_pad = true;  // whether the divisor counts the padding's elements, as zeros
};
// The mean over each window.
[[nodiscard]] Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options = {});

// x[N,C,H,W] -> [N,C,rows,columns]: output o along an axis is the mean of the elements from
// floor(o * in / out) to ceil((o + 1) * in / out). A size of 1 is global pooling.
[[nodiscard]] Tensor adaptive_avg_pool2d(const Tensor& x, Size2d size);

}  // namespace backplane
