// Windows over images: what the rows of conv2d, of max_pool2d and of both in one share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backplane/functional.hpp"
#include "case.hpp"

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

// A convolution as a row has it.
struct ConvolutionGeometry {
  Shape x, weight;
  backplane::Conv2dOptions options = {};
  bool bias = false;

  [[nodiscard]] Shape y() const {
    const backplane::Conv2dOptions& o = options;
    return {
        x[0], weight[0],
        places(x[2], weight[2], o.stride.rows, o.padding.top + o.padding.bottom, o.dilation.rows),
        places(x[3], weight[3], o.stride.columns, o.padding.left + o.padding.right,
               o.dilation.columns)};
  }
  [[nodiscard]] backplane::op::Conv2dParams params() const {
    const backplane::Conv2dOptions& o = options;
    return {{o.stride.rows, o.stride.columns},
            {o.padding.top, o.padding.left, o.padding.bottom, o.padding.right},
            {o.dilation.rows, o.dilation.columns},
            o.groups};
  }
  [[nodiscard]] std::string text() const {
    const std::string groups =
        options.groups == 1 ? "" : ", groups " + std::to_string(options.groups);
    return dims_text(x) + ", w" + dims_text(weight) + setting("stride", options.stride, 1) +
           padding_text(options.padding) + setting("dilation", options.dilation, 1) + groups +
           (bias ? ", bias" : "");
  }
};

// A max-pool.
struct PoolGeometry {
  Shape x;
  backplane::MaxPool2dOptions options = {};

  [[nodiscard]] backplane::op::MaxPool2dParams params() const {
    const backplane::MaxPool2dOptions& o = options;
    const backplane::Size2d stride = o.stride.value_or(o.kernel);
    return {{o.kernel.rows, o.kernel.columns},
            {stride.rows, stride.columns},
            {o.padding.top, o.padding.left, o.padding.bottom, o.padding.right},
            {o.dilation.rows, o.dilation.columns}};
  }
  [[nodiscard]] Shape y() const {
    const backplane::op::MaxPool2dParams p = params();
    const auto size = [&](int axis) {
      const std::int64_t up = options.ceil_mode ? p.stride[axis] - 1 : 0;
      return places(x[static_cast<std::size_t>(2 + axis)] + up, p.kernel[axis], p.stride[axis],
                    p.padding[axis] + p.padding[axis + 2], p.dilation[axis]);
    };
    return {x[0], x[1], size(0), size(1)};
  }
  [[nodiscard]] DType winner_type() const {
    return params().kernel[0] * params().kernel[1] <= 254 ? DType::u8 : DType::u16;
  }
  [[nodiscard]] double no_winner() const { return winner_type() == DType::u8 ? 255 : 65535; }
  [[nodiscard]] std::string text() const {
    return dims_text(x) + setting("kernel", options.kernel, 0) +
           (options.stride ? setting("stride", *options.stride, 0) : "") +
           padding_text(options.padding) + setting("dilation", options.dilation, 1) +
           (options.ceil_mode ? ", ceil mode" : "");
  }
};

// Any tap that lies in the image, or none where the window has no such tap.
inline Fill winners(const PoolGeometry& g) {
  return [g](const Draw& draw, std::span<double> to) {
    const backplane::op::MaxPool2dParams p = g.params();
    const Shape y = g.y();
    const auto inside = [&](std::int64_t position, std::int64_t tap, int axis) {
      const std::int64_t at = position * p.stride[axis] - p.padding[axis] + tap * p.dilation[axis];
      return at >= 0 && at < g.x[static_cast<std::size_t>(2 + axis)];
    };
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      const std::int64_t row = index / y[3] % y[2], column = index % y[3];
      std::vector<double> taps;
      for (std::int64_t tap = 0; tap < p.kernel[0] * p.kernel[1]; ++tap) {
        if (inside(row, tap / p.kernel[1], 0) && inside(column, tap % p.kernel[1], 1)) {
          taps.push_back(static_cast<double>(tap));
        }
      }
      to[i] = taps.empty() ? g.no_winner() : taps[draw.random() % taps.size()];
    }
  };
}

}  // namespace conformance
