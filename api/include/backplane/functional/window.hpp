// Sizes and paddings of windows over rows and columns.
#pragma once

#include <cstdint>

namespace backplane {

// One number for both axes, or {rows, columns}.
struct Size2d {
  std::int32_t rows, columns;
  constexpr Size2d(std::int32_t both) : rows(both), columns(both) {}  // NOLINT: {.kernel = 3}
  constexpr Size2d(std::int32_t r, std::int32_t c) : rows(r), columns(c) {}
};
// One number, {rows, columns}, or {top, left, bottom, right}.
struct Padding2d {
  std::int32_t top, left, bottom, right;
  constexpr Padding2d(std::int32_t all) : top(all), left(all), bottom(all), right(all) {}  // NOLINT
  constexpr Padding2d(std::int32_t r, std::int32_t c) : top(r), left(c), bottom(r), right(c) {}
  constexpr Padding2d(std::int32_t t, std::int32_t l, std::int32_t b, std::int32_t r)
      : top(t), left(l), bottom(b), right(r) {}
};

// The padding with which a window of stride 1 gives as many outputs as there are inputs; where it
// can't be even, more goes to the bottom and right.
[[nodiscard]] constexpr Padding2d same_padding(Size2d kernel, Size2d dilation = 1) {
  const std::int32_t rows = dilation.rows * (kernel.rows - 1);
  const std::int32_t columns = dilation.columns * (kernel.columns - 1);
  return {rows / 2, columns / 2, rows - rows / 2, columns - columns / 2};
}

}  // namespace backplane
