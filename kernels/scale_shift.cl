// scale_shift: y = x * scale + shift, element by element.
#include "elementwise.h"

// Operands of the nest: y, x, scale, shift.
KERNEL(scale_shift, Nest nest, DST(y), SRC(x), SRC(scale), SRC(shift), i32 dtype) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 4);
    const float element = load_float(SRC_AT(x), p.at[1], dtype);
    const float factor = load_float(SRC_AT(scale), p.at[2], dtype);
    const float summand = load_float(SRC_AT(shift), p.at[3], dtype);
    store_float(DST_AT(y), p.at[0], dtype, element * factor + summand);
  }
}
