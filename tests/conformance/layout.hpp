// How a tensor lies in memory: the views that every back end must read and write.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "backplane/tensor.hpp"

namespace conformance {

enum class Layout {
  contiguous,     // row-major
  channels_last,  // N, H, W, C of a four-dimensional tensor
  transposed,     // axes in reverse
  sliced,         // the middle of a larger tensor along every axis; starts at an odd element
  stepped,        // every second element of the last axis
  expanded,       // the first axis repeats one element: stride 0, inputs only
  any             // inputs row-major, outputs as the device likes
};
inline constexpr std::array all_layouts{
    Layout::contiguous, Layout::channels_last, Layout::transposed, Layout::sliced,
    Layout::stepped,    Layout::expanded,      Layout::any};
[[nodiscard]] std::string_view to_string(Layout layout);

// Whether the layout differs from row-major for that shape.
[[nodiscard]] bool changes(Layout layout, const backplane::Shape& shape);

// The memory that such a tensor lies in, as a dense shape, and the way from there to the tensor.
struct Placement {
  backplane::Shape memory;
  std::function<backplane::Tensor(const backplane::Tensor& memory)> view;
};
[[nodiscard]] Placement place(Layout layout, const backplane::Shape& shape);

}  // namespace conformance
