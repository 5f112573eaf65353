// Images made smaller or larger: each output is a weighted sum of neighbours along rows and
// columns.
#pragma once

#include "cpu/image.h"

namespace backplane::cpu {

// Of one output along one axis: elements [begin, begin + count) of src, the weight of the first and
// that of each other.
struct Taps {
  std::int64_t begin, count;
  float first, other;
};

// Rows [begin, end) of dst. `rows` and `columns` have an element for each row and column of dst.
void resample(std::int64_t channels, std::int64_t begin, std::int64_t end, const Taps* rows,
              const Taps* columns, const Image<const float>& src, const Image<float>& dst);

// All of diff_src: each element of diff_dst is added, weighted, to what it came from.
void resample_backward(std::int64_t channels, const Taps* rows, const Taps* columns,
                       const Image<const float>& diff_dst, const Image<float>& diff_src);

}  // namespace backplane::cpu
