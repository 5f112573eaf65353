// Operators of ONNX that reshape, cut and join.
#include <algorithm>

#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

using Integers = std::vector<std::int64_t>;
using Outputs = std::vector<Tensor>;

Integers counted(std::size_t count) {
  Integers numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int64_t>(i);
  return numbers;
}

// Rising axes, counted from the start.
Integers sorted_axes(const Integers& axes, std::size_t rank) {
  Integers sorted;
  for (const std::int64_t axis : axes) {
    sorted.push_back(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Outputs reshaped(Node& node) {
  const Tensor x = node.input(0);
  Integers sizes = node.input_integers(1);
  const bool zeros_stay = node.integer("allowzero", 0) != 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0 && !zeros_stay) sizes[i] = x.shape()[i];
  }
  return {x.reshape(Shape(sizes))};
}

Outputs flattened(Node& node) {
  const Tensor x = node.input(0);
  std::int64_t axis = node.integer("axis", 1);
  if (axis < 0) axis += static_cast<std::int64_t>(x.rank());
  std::int64_t rows = 1;
  for (std::int64_t i = 0; i < axis; ++i) rows *= x.size(i);
  return {x.reshape({rows, rows == 0 ? 0 : x.count() / rows})};
}

Outputs transposed(Node& node) {
  const Tensor x = node.input(0);
  Integers backwards = counted(x.rank());
  std::reverse(backwards.begin(), backwards.end());
  return {permuted(x, node.integers("perm", backwards))};
}

// One axis; a negative step goes backwards from the flipped axis.
Tensor sliced(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end,
              std::int64_t step) {
  const std::int64_t size = x.size(axis);
  const auto bounded = [&](std::int64_t position, std::int64_t low, std::int64_t high) {
    return std::clamp(position < 0 ? position + size : position, low, high);
  };
  if (step > 0) {
    const std::int64_t first = bounded(begin, 0, size);
    return x.slice(axis, first, std::max(first, bounded(end, 0, size)), step);
  }
  const std::int64_t first = size - 1 - bounded(begin, -1, size - 1);
  const std::int64_t last = size - 1 - bounded(end, -1, size - 1);
  return flip(x, {axis}).slice(axis, first, std::max(first, last), -step);
}

Outputs slices(Node& node) {
  Tensor x = node.input(0);
  const Integers begins = node.input_integers(1), ends = node.input_integers(2);
  const Integers axes = node.has_input(3) ? node.input_integers(3) : counted(begins.size());
  const Integers steps = node.has_input(4) ? node.input_integers(4) : Integers(begins.size(), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    x = sliced(x, axes[i], begins[i], ends[i], steps[i]);
  }
  return {x};
}

Outputs joined(Node& node) {
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < node.inputs(); ++i) parts.push_back(node.input(i));
  return {concat(parts, node.integer("axis", 0))};
}

Outputs parts(Node& node) {
  const Tensor x = node.input(0);
  const std::int64_t axis = node.integer("axis", 0);
  Integers sizes = node.has_input(1) ? node.input_integers(1) : node.integers("split");
  if (sizes.empty()) {
    const auto count = static_cast<std::int64_t>(node.outputs());
    sizes.assign(node.outputs(), x.size(axis) / count);
  }
  return split(x, sizes, axis);
}

Outputs padded(Node& node) {
  if (node.text("mode", "constant") != "constant") throw PassedOver("padding by other elements");
  const Tensor x = node.input(0);
  const Integers pads = node.input_integers(1);
  std::vector<AxisPadding> padding;
  for (std::size_t i = 0; i < x.rank(); ++i) padding.push_back({pads[i], pads[x.rank() + i]});
  return {pad(x, padding, node.has_input(2) ? node.input_number(2) : 0)};
}

// A size of 1 leaves the axis as it is.
Outputs expanded(Node& node) {
  const Tensor x = node.input(0);
  Integers sizes = node.input_integers(1);
  if (sizes.size() < x.rank()) sizes.insert(sizes.begin(), x.rank() - sizes.size(), 1);
  const std::size_t added = sizes.size() - x.rank();
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (sizes[added + i] == 1) sizes[added + i] = x.shape()[i];
  }
  return {x.expand(Shape(sizes))};
}

Outputs tiled(Node& node) {
  Tensor x = node.input(0);
  const Integers repeats = node.input_integers(1);
  for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
    const std::vector<Tensor> copies(static_cast<std::size_t>(repeats[axis]), x);
    x = concat(copies, static_cast<std::int64_t>(axis));
  }
  return {x};
}

Outputs squeezed(Node& node) {
  Tensor x = node.input(0);
  Integers axes =
      sorted_axes(node.has_input(1) ? node.input_integers(1) : node.integers("axes"), x.rank());
  if (axes.empty()) {
    for (const std::int64_t axis : counted(x.rank())) {
      if (x.size(axis) == 1) axes.push_back(axis);
    }
  }
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) x = squeeze(x, *axis);
  return {x};
}

Outputs unsqueezed(Node& node) {
  Tensor x = node.input(0);
  const Integers axes = node.has_input(1) ? node.input_integers(1) : node.integers("axes");
  for (const std::int64_t axis : sorted_axes(axes, x.rank() + axes.size())) x = unsqueeze(x, axis);
  return {x};
}

// Blocks of channels become squares of pixels; DCR has the block before the channels.
Outputs channels_to_pixels(Node& node) {
  const Tensor x = node.input(0);
  const std::int64_t block = node.integer("blocksize", 1);
  const std::int64_t channels = x.size(1) / (block * block), rows = x.size(2), columns = x.size(3);
  const bool block_first = node.text("mode", "DCR") == "DCR";
  const Tensor apart = block_first ? x.reshape({x.size(0), block, block, channels, rows, columns})
                                         .permute({0, 3, 4, 1, 5, 2})
                                   : x.reshape({x.size(0), channels, block, block, rows, columns})
                                         .permute({0, 1, 4, 2, 5, 3});
  return {apart.reshape({x.size(0), channels, rows * block, columns * block})};
}

Outputs pixels_to_channels(Node& node) {
  const Tensor x = node.input(0);
  const std::int64_t block = node.integer("blocksize", 1);
  const std::int64_t rows = x.size(2) / block, columns = x.size(3) / block;
  return {x.reshape({x.size(0), x.size(1), rows, block, columns, block})
              .permute({0, 3, 5, 1, 2, 4})
              .reshape({x.size(0), x.size(1) * block * block, rows, columns})};
}

}  // namespace

Operators shapes() {
  return {
      {"Concat", joined},        {"DepthToSpace", channels_to_pixels},
      {"Expand", expanded},      {"Flatten", flattened},
      {"Pad", padded},           {"Reshape", reshaped},
      {"Slice", slices},         {"SpaceToDepth", pixels_to_channels},
      {"Split", parts},          {"Squeeze", squeezed},
      {"Tile", tiled},           {"Transpose", transposed},
      {"Unsqueeze", unsqueezed},
  };
}

}  // namespace onnx_nodes
