// relu and its gradient. Selects instead of maxima: those drop a NaN.
#include "elementwise.h"

KERNEL(relu, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(element > 0.0f || element != element ? element : 0.0f)
}

KERNEL(relu_backward, Nest nest, DST(dx), SRC(dy), SRC(y), i32 dtype) {
  MAP_GRADIENT(y, element <= 0.0f ? 0.0f : gradient)
}
