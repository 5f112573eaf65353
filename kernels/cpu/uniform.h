// uniform: random numbers in [low, low + range).
#pragma once

#include "cpu/philox.h"

namespace backplane::cpu {

// dst[i] = fma(24 random bits of element first + i * 2^-24, range, low); `first` is a multiple
// of 4.
void uniform(const PhiloxStream& stream, std::int64_t first, std::int64_t count, float low,
             float range, float* dst);

}  // namespace backplane::cpu
