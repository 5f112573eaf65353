// relu and its gradient. Selects instead of maxima: those drop a NaN.
#include "nest.h"
#include "number.h"

// Operands of the nest: y, x.
KERNEL(relu, Nest nest, DST(y), SRC(x), i32 dtype) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    const float value = load_float(SRC_AT(x), p.at[1], dtype);
    store_float(DST_AT(y), p.at[0], dtype, value > 0.0f || value != value ? value : 0.0f);
  }
}

// Operands of the nest: dx, dy, y.
KERNEL(relu_backward, Nest nest, DST(dx), SRC(dy), SRC(y), i32 dtype) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    const i32 dead = load_float(SRC_AT(y), p.at[2], dtype) <= 0.0f;
    const float gradient = load_float(SRC_AT(dy), p.at[1], dtype);
    store_float(DST_AT(dx), p.at[0], dtype, dead ? 0.0f : gradient);
  }
}
