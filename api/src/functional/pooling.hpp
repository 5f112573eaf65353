// What poolings share: the rules for windows, and how many there are.
#pragma once

#include "functional/operands.hpp"

namespace backplane::detail {

// Kernel and stride at least 1, no negative padding.
void check_window(const char* name, const std::int32_t (&kernel)[2],
                  const std::int32_t (&stride)[2], const std::int32_t (&padding)[4]);

// The windows along one axis.
struct WindowAxis {
  std::int64_t extent;  // from a window's first element to its last
  std::int64_t stride, before, after;
  bool ceil_mode;
};

// How many windows fit along rows (axis 0) or columns (1) of x[N,C,H,W]; in ceil mode one more if
// elements are left over, unless it would begin behind the input.
[[nodiscard]] std::int64_t pooled_size(const char* name, const Tensor& x, int axis,
                                       const WindowAxis& window);

// Rows and columns of an output whose size is asked for: at least 1, of an input that isn't empty.
void check_output_size(const char* name, const Tensor& x, Size2d size);

}  // namespace backplane::detail
