// The rules for a window that slides over an image, for every layer that has one.
#pragma once

#include <string_view>

#include "backplane/functional.hpp"
#include "check.hpp"

namespace backplane::detail {

inline void check_positive(std::string_view layer, std::string_view what, Size2d size) {
  if (size.rows >= 1 && size.columns >= 1) return;
  reject("{}: {} must be positive, got {}x{}", layer, what, size.rows, size.columns);
}

inline void check_window(std::string_view layer, Size2d kernel, Size2d stride, Padding2d padding,
                         Size2d dilation) {
  check_positive(layer, "kernel", kernel);
  check_positive(layer, "stride", stride);
  check_positive(layer, "dilation", dilation);
  const auto [top, left, bottom, right] = padding;
  if (top < 0 || left < 0 || bottom < 0 || right < 0) {
    reject(
        "{}: padding must not be negative, got top {}, left {}, bottom {}, right {}; use slice()"
        " to cut an image",
        layer, top, left, bottom, right);
  }
}

}  // namespace backplane::detail
