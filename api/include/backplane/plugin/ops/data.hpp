// What makes batches of raw data.
#pragma once

#include <cstdint>

namespace backplane::op {

// x u8[N,C,...], mean f32[C], deviation f32[C] -> f32: (x / 255 - mean) / deviation, computed in
// double and rounded once, so that it is the same on every device.
struct Normalize {};

// clang-format off
#define BACKPLANE_DATA_OPS(row)                          \
  row(Normalize, normalize,  29, 3, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
