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

}  // namespace backplane
