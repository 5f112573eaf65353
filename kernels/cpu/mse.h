// mse: squared differences, one by one or summed, and their gradient.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// dst = (src - target)^2.
void squared_difference(Plane plane, Strided<const float> src, Strided<const float> target,
                        Strided<float> dst);

// The sum of (src - target)^2, in double.
double squared_difference_sum(Plane plane, Strided<const float> src, Strided<const float> target);

// diff_src = scale * (src - target) * diff_dst, in double with one rounding.
void squared_difference_backward(Plane plane, double scale, Strided<const float> diff_dst,
                                 Strided<const float> src, Strided<const float> target,
                                 Strided<float> diff_src);

}  // namespace backplane::cpu
