// convert: one element type into another. Float to float rounds to nearest even; float to integer
// truncates and saturates, NaN gives 0; integer to integer wraps.
#pragma once

#include "cpu/plane.h"
#include "cpu/types.h"

namespace backplane::cpu {

// A run of `count` elements, `src` and `dst` without gaps.
using Convert = void (*)(const void* src, void* dst, std::int64_t count);
Convert converter(Type from, Type to);

// A plane at any strides.
void convert(Type from, Type to, Plane plane, Strided<const void> src, Strided<void> dst);

}  // namespace backplane::cpu
