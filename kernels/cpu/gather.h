// gather: elements by their positions along an axis.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// dst = src[index * src_step], or 0 where an index is not in [0, limit). T is the unsigned integer
// of the element's size: 1, 2, 4 or 8 bytes.
template <class T>
void gather(Plane plane, std::int64_t limit, Strided<const std::int64_t> index,
            Strided<const T> src, std::int64_t src_step, Strided<T> dst);

}  // namespace backplane::cpu
