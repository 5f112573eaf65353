// scatter_add: elements added at their positions along an axis.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// One side of it: a plane across the axis, and the step along it.
template <class T>
struct Along {
  Strided<T> plane;
  std::int64_t step;
};

// dst[index[i]] += src[i] for i in [0, terms), one after the other, in each element of the plane;
// what is not in [0, limit) is left out. Integers wrap.
template <class T>
void scatter_add(Plane plane, std::int64_t terms, std::int64_t limit,
                 Along<const std::int64_t> index, Along<const T> src, Along<T> dst);

}  // namespace backplane::cpu
