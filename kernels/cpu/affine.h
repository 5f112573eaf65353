// affine: dst = scale * src + shift.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// Computed in double with one rounding to the result, as conversions do it; but of integers with
// whole numbers exactly, and it wraps.
template <class T>
void affine(Plane plane, double scale, double shift, Strided<const T> src, Strided<T> dst);

}  // namespace backplane::cpu
