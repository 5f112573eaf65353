// Images made larger or smaller by interpolation.
#pragma once

#include <cstdint>

namespace backplane::op {

enum class Interpolation : std::uint32_t { nearest = 0, bilinear = 1 };

struct InterpolateParams {
  Interpolation mode;
  std::uint32_t align_corners;  // bilinear only
};

// x[N,C,H,W] -> y[N,C,OH,OW]. Along each axis, of size I in x and O in y, output o lies at
//   nearest                  floor(o * I / O)
//   bilinear                 max((o + 1/2) * I / O - 1/2, 0)
//   bilinear, align_corners  o * (I - 1) / (O - 1), and 0 where O is 1
// in x, and bilinear weighs its two neighbours by their nearness, with I - 1 as the last one. These
// are the formulas of PyTorch and of ONNX's Resize (asymmetric with floor, half_pixel, and
// align_corners); positions are found in integers, so that no rounding moves one. A neighbour of
// weight 0 is absent: a NaN in it doesn't count. No axis of x that y needs is empty.
struct Interpolate : InterpolateParams {};

// dy -> dx[N,C,H,W].
struct InterpolateBackward : InterpolateParams {};

// clang-format off
#define BACKPLANE_INTERPOLATE_OPS(row)                                         \
  row(Interpolate,         interpolate,           157, 1, 1, 0, false, false)  \
  row(InterpolateBackward, interpolate_backward,  158, 1, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
