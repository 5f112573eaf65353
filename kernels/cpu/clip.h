// Sums of squares, and what clips gradients, over runs of elements.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// In double, in an order that depends on nothing but the count.
double square_sum(std::int64_t count, const float* src);

// x *= factor.
void scale_in_place(std::int64_t count, float factor, float* x);

// x = x, no further from 0 than limit; NaN stays.
void clamp_in_place(std::int64_t count, float limit, float* x);

}  // namespace backplane::cpu
