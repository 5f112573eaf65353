// What the plug-in namer and the programs that use its operations agree on.
#pragma once

namespace namer {

// x -> y = scale * x^2 + shift.
inline constexpr const char* square = "namer.square";
// dy, x -> dx = 2 * scale * x * dy.
inline constexpr const char* square_backward = "namer.square_backward";

struct Square {
  float scale;
};
struct Shift {
  float shift;
};

}  // namespace namer
