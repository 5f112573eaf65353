// Operations that make one element of many, or of all before it. Integers wrap.
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

// x -> y, as Sum, the product. An empty product is 1.
struct Prod {
  std::uint32_t axes;
};

// x -> y, as Sum, the largest element; a NaN wins, and of +0 and -0 either. Empty axes that leave
// outputs are refused.
struct Max {
  std::uint32_t axes;
};

// x -> y, as Max, the smallest element.
struct Min {
  std::uint32_t axes;
};

// x -> i64 position of the maximum along one axis (dim 1 in y); the first of equals, the first NaN.
struct ArgMax {
  std::int32_t axis;
};

// x -> i64 position of the minimum, as ArgMax.
struct ArgMin {
  std::int32_t axis;
};

// x -> y of equal dims, each element the sum of itself and of all before it along one axis; with
// `reverse` (0 or 1) of all behind it.
struct Cumsum {
  std::int32_t axis;
  std::uint32_t reverse;
};

// clang-format off
#define BACKPLANE_REDUCTION_OPS(row)                \
  row(Sum,    sum,       6, 1, 1, 1, false, false)  \
  row(Mean,   mean,      7, 1, 1, 0, false, false)  \
  row(ArgMax, arg_max,  26, 1, 1, 0, false, false)  \
  row(Prod,   prod,     73, 1, 1, 0, false, false)  \
  row(Max,    max,      74, 1, 1, 0, false, false)  \
  row(Min,    min,      75, 1, 1, 0, false, false)  \
  row(ArgMin, arg_min,  76, 1, 1, 0, false, false)  \
  row(Cumsum, cumsum,   77, 1, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
