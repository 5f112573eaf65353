// Convolutions and pools of ONNX, over one or two axes.
#include <algorithm>

#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

using Integers = std::vector<std::int64_t>;
using Outputs = std::vector<Tensor>;

// An image of one row for each line of a signal.
Tensor as_image(const Tensor& x) {
  if (x.rank() == 3) return unsqueeze(x, 2);
  if (x.rank() != 4) throw PassedOver("windows over three axes");
  return x;
}

Tensor like(const Tensor& image, const Tensor& x) {
  return x.rank() == 3 ? squeeze(image, 2) : image;
}

struct Axis {
  std::int64_t size, kernel, stride, dilation, before, after;
  [[nodiscard]] std::int64_t extent() const { return dilation * (kernel - 1) + 1; }
};

// The attributes that all windows have, for rows and columns; one row where the input has none.
struct Window {
  Axis rows, columns;
  std::string auto_pad;

  [[nodiscard]] Size2d kernel() const { return both(&Axis::kernel); }
  [[nodiscard]] Size2d stride() const { return both(&Axis::stride); }
  [[nodiscard]] Size2d dilation() const { return both(&Axis::dilation); }
  [[nodiscard]] Padding2d padding() const {
    return {narrow(rows.before), narrow(columns.before), narrow(rows.after), narrow(columns.after)};
  }

 private:
  static std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }
  [[nodiscard]] Size2d both(std::int64_t Axis::*member) const {
    return {narrow(rows.*member), narrow(columns.*member)};
  }
};

Window read_window(Node& node, const Tensor& x, const Shape& weight) {
  const std::size_t axes = x.rank() - 2;
  Integers kernel(weight.begin() + (weight.rank() == 0 ? 0 : 2), weight.end());
  kernel = node.integers("kernel_shape", kernel);
  const Integers strides = node.integers("strides", Integers(axes, 1));
  const Integers dilations = node.integers("dilations", Integers(axes, 1));
  const Integers pads = node.integers("pads", Integers(2 * axes, 0));
  const auto axis = [&](std::size_t i) {
    return Axis{x.shape()[2 + i], kernel[i], strides[i], dilations[i], pads[i], pads[axes + i]};
  };
  return {axes == 1 ? Axis{1, 1, 1, 1, 0, 0} : axis(0), axis(axes - 1),
          node.text("auto_pad", "NOTSET")};
}

// The half that is larger goes behind with SAME_UPPER.
void share(Axis& axis, std::int64_t padding, bool more_behind) {
  axis.before = more_behind ? padding / 2 : padding - padding / 2;
  axis.after = padding - axis.before;
}

Window window_of(Node& node, const Tensor& x, const Shape& weight = {}) {
  Window window = read_window(node, x, weight);
  if (window.auto_pad.starts_with("SAME")) {
    for (Axis* axis : {&window.rows, &window.columns}) {
      const std::int64_t outputs = (axis->size + axis->stride - 1) / axis->stride;
      const std::int64_t needed = (outputs - 1) * axis->stride + axis->extent() - axis->size;
      share(*axis, std::max<std::int64_t>(needed, 0), window.auto_pad == "SAME_UPPER");
    }
  }
  return window;
}

Outputs convolution(Node& node) {
  const Tensor x = node.input(0), weight = node.input(1);
  const Tensor image = as_image(x);
  const Window window = window_of(node, x, weight.shape());
  return {like(conv2d(image, as_image(weight), node.input(2),
                      {.stride = window.stride(),
                       .padding = window.padding(),
                       .dilation = window.dilation(),
                       .groups = static_cast<std::int32_t>(node.integer("group", 1))}),
               x)};
}

// Its padding is what is cut off, so that the output has the size that is asked for; what lacks is
// added behind.
void fit(Axis& axis, std::int64_t size, std::int32_t& output_padding, bool more_behind) {
  const std::int64_t cut = axis.stride * (axis.size - 1) + output_padding + axis.extent() - size;
  share(axis, std::max<std::int64_t>(cut, 0), more_behind);
  if (cut < 0) output_padding -= static_cast<std::int32_t>(cut);
}

Outputs transposed_convolution(Node& node) {
  const Tensor x = node.input(0), weight = node.input(1);
  const Tensor image = as_image(x);
  Window window = read_window(node, x, weight.shape());
  const Integers more = node.integers("output_padding", Integers(x.rank() - 2, 0));
  Size2d output_padding{x.rank() == 3 ? 0 : static_cast<std::int32_t>(more.front()),
                        static_cast<std::int32_t>(more.back())};
  const bool same = window.auto_pad.starts_with("SAME");
  Integers sizes = node.integers("output_shape");
  if (sizes.empty() && same) {
    sizes = {window.rows.size * window.rows.stride, window.columns.size * window.columns.stride};
  }
  if (!sizes.empty()) {
    const bool more_behind = window.auto_pad == "SAME_UPPER";
    fit(window.columns, sizes.back(), output_padding.columns, more_behind);
    if (x.rank() == 4) fit(window.rows, sizes[sizes.size() - 2], output_padding.rows, more_behind);
  }
  return {like(conv_transpose2d(image, as_image(weight), node.input(2),
                                {.stride = window.stride(),
                                 .padding = window.padding(),
                                 .output_padding = output_padding,
                                 .dilation = window.dilation(),
                                 .groups = static_cast<std::int32_t>(node.integer("group", 1))}),
               x)};
}

Outputs maximum_pool(Node& node) {
  if (node.outputs() > 1) throw PassedOver("positions within the whole tensor");
  const Tensor x = node.input(0);
  const Tensor image = as_image(x);
  const Window window = window_of(node, x);
  (void)node.integer("storage_order", 0);  // of the positions
  return {like(max_pool2d(image, {.kernel = window.kernel(),
                                  .stride = window.stride(),
                                  .padding = window.padding(),
                                  .dilation = window.dilation(),
                                  .ceil_mode = node.integer("ceil_mode", 0) != 0}),
               x)};
}

Outputs average_pool(Node& node) {
  const Tensor x = node.input(0);
  const Tensor image = as_image(x);
  const Window window = window_of(node, x);
  return {like(avg_pool2d(image, {.kernel = window.kernel(),
                                  .stride = window.stride(),
                                  .padding = window.padding(),
                                  .ceil_mode = node.integer("ceil_mode", 0) != 0,
                                  .count_include_pad = node.integer("count_include_pad", 0) != 0}),
               x)};
}

Outputs global_average(Node& node) {
  const Tensor x = node.input(0);
  return {like(adaptive_avg_pool2d(as_image(x), 1), x)};
}

Outputs global_maximum(Node& node) {
  const Tensor x = node.input(0);
  return {like(max(as_image(x), {2, 3}, true), x)};
}

}  // namespace

Operators windows() {
  return {
      {"AveragePool", average_pool},
      {"Conv", convolution},
      {"ConvTranspose", transposed_convolution},
      {"GlobalAveragePool", global_average},
      {"GlobalMaxPool", global_maximum},
      {"MaxPool", maximum_pool},
  };
}

}  // namespace onnx_nodes
