// Operations that make one element of many.
#pragma once

#include <cstdint>

namespace backplane::op {

// x -> y, the sum over the axes whose bit is set; those dims are 1 in y. An empty sum is 0.
struct Sum {
  std::uint32_t axes;
};

// x -> y, as Sum, divided by the number of summed elements. An empty mean is NaN.
struct Mean {
  std::uint32_t axes;
};

// x -> i64 position of the maximum along one axis (dim 1 in y); the first of equals, the first NaN.
struct ArgMax {
  std::int32_t axis;
};

// clang-format off
#define BACKPLANE_REDUCTION_OPS(row)                \
  row(Sum,    sum,       6, 1, 1, 1, false, false)  \
  row(Mean,   mean,      7, 1, 1, 0, false, false)  \
  row(ArgMax, arg_max,  26, 1, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
