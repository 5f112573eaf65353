// cumsum: running sums of a row. Floats are summed in double, integers modulo 2^64.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// Strides may be negative, for a row that is summed from its end. dst may be src itself. Every type
// of BACKPLANE_CPU_NUMBERS.
template <class T>
void cumsum(std::int64_t count, const T* src, std::int64_t src_stride, T* dst,
            std::int64_t dst_stride);

}  // namespace backplane::cpu
