// Windows over images: the arithmetic and the names that conv2d and max_pool2d share.
#pragma once

#include <cstdint>
#include <string>

#include "backplane/functional.hpp"

namespace conformance {

// How many places a window takes along one axis.
[[nodiscard]] constexpr std::int64_t places(std::int64_t size, std::int64_t kernel,
                                            std::int64_t stride, std::int64_t padding,
                                            std::int64_t dilation) {
  return (size + padding - dilation * (kernel - 1) - 1) / stride + 1;
}

// As in ", stride 2" or ", padding 1.0.2.3"; nothing for what is as usual.
[[nodiscard]] inline std::string setting(const char* name, backplane::Size2d size,
                                         std::int32_t usual) {
  if (size.rows == usual && size.columns == usual) return "";
  std::string text = std::string(", ") + name + " " + std::to_string(size.rows);
  return size.rows == size.columns ? text : text + "." + std::to_string(size.columns);
}

[[nodiscard]] inline std::string padding_text(const backplane::Padding2d& p) {
  if (p.top == p.left && p.left == p.bottom && p.bottom == p.right) {
    return p.top == 0 ? "" : ", padding " + std::to_string(p.top);
  }
  return ", padding " + std::to_string(p.top) + "." + std::to_string(p.left) + "." +
         std::to_string(p.bottom) + "." + std::to_string(p.right);
}

}  // namespace conformance
