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
};
[[nodiscard]] Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options = {});
// Also which element won in each window (its row * KW + column; u8, or u16 above 254 taps).
[[nodiscard]] std::pair<Tensor, Tensor> max_pool2d_with_winners(
    const Tensor& x, const MaxPool2dOptions& options = {});

}  // namespace backplane
