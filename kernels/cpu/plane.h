// What an element-wise kernel works on: a plane of elements, each operand with its own two strides.
#pragma once

#include <cstdint>

namespace backplane::cpu {

struct Plane {
  std::int64_t rows, count;
  // The destination is so large that it leaves the caches before anyone reads it: write around
  // them, which spares reading it first.
  bool bypasses_cache = false;
};

// Strides count elements; 0 repeats one, so that a bias or a mask needs no memory of its own.
template <class T>
struct Strided {
  T* data;
  std::int64_t row_stride, stride;
};

// From how many bytes on that is so; measured, see README.md.
inline constexpr std::int64_t bytes_that_bypass_cache = 16 << 20;

}  // namespace backplane::cpu
