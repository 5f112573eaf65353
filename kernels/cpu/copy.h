// copy: the same bits at other strides. Conversion between types is convert.h.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// T is the unsigned integer of the element's size: 1, 2, 4 or 8 bytes.
template <class T>
void copy(Plane plane, Strided<const T> src, Strided<T> dst);

}  // namespace backplane::cpu
