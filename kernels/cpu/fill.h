// fill: every element of a plane gets the same bits.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// T is the unsigned integer of the element's size: 1, 2, 4 or 8 bytes.
template <class T>
void fill(Plane plane, T bits, Strided<T> dst);

}  // namespace backplane::cpu
