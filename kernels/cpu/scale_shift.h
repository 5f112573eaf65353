// scale_shift: dst = src * scale + shift.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// Every type of BACKPLANE_CPU_FLOATS.
template <class T>
void scale_shift(Plane plane, Strided<const T> src, Strided<const T> scale, Strided<const T> shift,
                 Strided<T> dst);

}  // namespace backplane::cpu
