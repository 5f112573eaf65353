// Operations that move and set elements.
#pragma once

#include <cstdint>

namespace backplane::op {

// x -> y of equal dims. Converts type and layout. Float to float rounds to nearest even; float to
// integer truncates towards zero and saturates, NaN gives 0; integer to integer wraps.
struct Copy {};

// -> y, every element `value` converted as Copy does.
struct Fill {
  struct Scalars {
    double value;
  };
};

// clang-format off
#define BACKPLANE_MEMORY_OPS(row)              \
  row(Copy, copy,   1, 1, 1, 1, false, false)  \
  row(Fill, fill,   2, 0, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
