// Functions of one element. A NaN gives a NaN in all of them; zeros and infinities give what
// IEEE 754 makes of the formula, where nothing else is said.
#pragma once

#include <cstdint>

namespace backplane::op {

// x -> y = -x.
struct Neg {};

// x -> y = |x|.
struct Abs {};

// dy, x -> dx = dy where x > 0, -dy where x < 0, +0 where x is 0, NaN where x is NaN.
struct AbsBackward {};

// x -> y = 1 where x > 0, -1 where x < 0, +0 where x is 0 of either sign; NaN stays NaN, as in
// NumPy (PyTorch makes it 0).
struct Sign {};

// x -> y = e^x.
struct Exp {};

// x -> y = ln(x): -inf for 0 of either sign, NaN below.
struct Log {};

// x -> y = sqrt(x): NaN below 0, but -0 stays.
struct Sqrt {};

// x -> y = 1 / sqrt(x): -inf for -0.
struct Rsqrt {};

// x -> y = x * x.
struct Square {};

// x -> y = 1 / x.
struct Reciprocal {};

// Where there is no bound: -inf, +inf. Neither is NaN.
struct ClampParams {
  float min, max;
};

// x -> y, raised to min where it is below, then lowered to max: `max` everywhere if that is
// smaller. What is in between stays as it is, -0 and NaN included.
struct Clamp : ClampParams {};

// dy, x -> dx = +0 where x < min or x > max, else dy: the bounds themselves pass it, and so does a
// NaN (in PyTorch it doesn't).
struct ClampBackward : ClampParams {};

// clang-format off
#define BACKPLANE_UNARY_OPS(row)                                  \
  row(Neg,           neg,             32, 1, 1, 0, true,  false)  \
  row(Abs,           abs,             33, 1, 1, 0, true,  false)  \
  row(AbsBackward,   abs_backward,    34, 2, 1, 0, true,  false)  \
  row(Sign,          sign,            35, 1, 1, 0, true,  false)  \
  row(Exp,           exp,             36, 1, 1, 0, true,  false)  \
  row(Log,           log,             37, 1, 1, 0, true,  false)  \
  row(Sqrt,          sqrt,            38, 1, 1, 0, true,  false)  \
  row(Rsqrt,         rsqrt,           39, 1, 1, 0, true,  false)  \
  row(Square,        square,          40, 1, 1, 0, true,  false)  \
  row(Reciprocal,    reciprocal,      41, 1, 1, 0, true,  false)  \
  row(Clamp,         clamp,           42, 1, 1, 0, true,  false)  \
  row(ClampBackward, clamp_backward,  43, 2, 1, 0, true,  false)
// clang-format on

}  // namespace backplane::op
