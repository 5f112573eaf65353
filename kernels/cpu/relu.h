// relu: NaN stays NaN and -0 becomes +0, which the vendor's library doesn't promise.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// dst = max(src, 0); float and double.
template <class T>
void relu(Plane plane, Strided<const T> src, Strided<T> dst);

// diff_src = diff_dst where not (dst <= 0), else +0; float and double.
template <class T>
void relu_backward(Plane plane, Strided<const T> diff_dst, Strided<const T> dst,
                   Strided<T> diff_src);

}  // namespace backplane::cpu
