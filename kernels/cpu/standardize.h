// standardize and its backward operation, a plane at a time; the caller adds up planes.
//
// `step` 0: the whole plane is of one line, and each list has one element. `step` 1: each column is
// a line of its own, with an element in each list.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// squares += (src - mean)^2.
void add_squares(Plane plane, Strided<const float> src, std::int64_t step, const float* mean,
                 double* squares);

// dst = (src - mean) * factor.
void standardize(Plane plane, Strided<const float> src, std::int64_t step, const float* mean,
                 const float* factor, Strided<float> dst);

// sums += diff_dst, products += diff_dst * dst.
void add_products(Plane plane, Strided<const float> diff_dst, Strided<const float> dst,
                  std::int64_t step, double* sums, double* products);

// diff_src = (diff_dst - mean - dst * product) * factor.
void standardize_backward(Plane plane, Strided<const float> diff_dst, Strided<const float> dst,
                          std::int64_t step, const float* mean, const float* product,
                          const float* factor, Strided<float> diff_src);

}  // namespace backplane::cpu
