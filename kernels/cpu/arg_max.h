// arg_max and arg_min: where the extremum of a row is; the first of equals, the first NaN.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// Of `count` elements (at least one), `stride` apart. Every type of BACKPLANE_CPU_NUMBERS.
template <class T>
std::int64_t arg_max(std::int64_t count, const T* src, std::int64_t stride);
template <class T>
std::int64_t arg_min(std::int64_t count, const T* src, std::int64_t stride);

}  // namespace backplane::cpu
