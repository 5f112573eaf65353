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

// The taps of all outputs along one axis, none of which begins before its predecessor. Those of the
// outputs [alike_begin, alike_end) differ in where they begin only, `step` elements from one to the
// next.
struct TapLine {
  TapLine(const Taps* taps, std::int64_t count);
  const Taps* taps;
  std::int64_t alike_begin, alike_end, step;
  std::int64_t longest;  // the largest count
};

// Rows [begin, end) of dst.
void resample(std::int64_t channels, std::int64_t begin, std::int64_t end, const TapLine& rows,
              const TapLine& columns, const Image<const float>& src, const Image<float>& dst);

// All of diff_src: each element of diff_dst is added, weighted, to what it came from.
void resample_backward(std::int64_t channels, const TapLine& rows, const TapLine& columns,
                       const Image<const float>& diff_dst, const Image<float>& diff_src);

}  // namespace backplane::cpu
