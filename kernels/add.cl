// add: y = a + b, element by element; integers wrap. Operands of the nest: y, a, b.
#include "nest.h"
#include "number.h"

KERNEL(add_float, Nest nest, DST(y), SRC(a), SRC(b), i32 dtype) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    const float sum = load_float(SRC_AT(a), p.at[1], dtype) + load_float(SRC_AT(b), p.at[2], dtype);
    store_float(DST_AT(y), p.at[0], dtype, sum);
  }
}

KERNEL(add_integer, Nest nest, DST(y), SRC(a), SRC(b), i32 dtype) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    const u64 left = (u64)load_integer(SRC_AT(a), p.at[1], dtype);
    const u64 right = (u64)load_integer(SRC_AT(b), p.at[2], dtype);
    store_integer(DST_AT(y), p.at[0], dtype, (i64)(left + right));
  }
}
