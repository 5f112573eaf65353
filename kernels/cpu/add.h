// add: dst = a + b. Integers wrap around.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// Every type of BACKPLANE_CPU_NUMBERS.
template <class T>
void add(Plane plane, Strided<const T> a, Strided<const T> b, Strided<T> dst);

}  // namespace backplane::cpu
