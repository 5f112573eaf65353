// Functions of one element, and the gradients of abs and clamp. Names end in _float, since C has
// exp, log and abs already.
#include "elementwise.h"

KERNEL(neg_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(-element)
}

KERNEL(abs_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(fabs(element))
}

// Of a number that is neither above nor below 0: +0, or the NaN itself.
FN float zero_or_nan(float value) {
  return value == 0.0f ? 0.0f : value;
}

KERNEL(abs_backward_float, Nest nest, DST(dx), SRC(dy), SRC(x), i32 dtype) {
  MAP_GRADIENT(x, element > 0.0f ? gradient : element < 0.0f ? -gradient : zero_or_nan(element))
}

KERNEL(sign_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(element > 0.0f ? 1.0f : element < 0.0f ? -1.0f : zero_or_nan(element))
}

KERNEL(exp_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(exp(element))
}

KERNEL(log_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(log(element))
}

KERNEL(sqrt_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(sqrt(element))
}

KERNEL(rsqrt_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(1.0f / sqrt(element))
}

KERNEL(square_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(element * element)
}

KERNEL(reciprocal_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(1.0f / element)
}

FN float clamped(float value, float low, float high) {
  const float raised = value < low ? low : value;
  return raised > high ? high : raised;
}

KERNEL(clamp_float, Nest nest, DST(y), SRC(x), i32 dtype, float low, float high) {
  MAP(clamped(element, low, high))
}

KERNEL(clamp_backward_float, Nest nest, DST(dx), SRC(dy), SRC(x), i32 dtype, float low,
       float high) {
  MAP_GRADIENT(x, element < low || element > high ? 0.0f : gradient)
}
