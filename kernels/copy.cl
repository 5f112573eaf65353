// copy: between any two types and any two sets of strides. Operands of the nest: y, x.
#include "nest.h"
#include "number.h"

// Equal types: as bits, so that every value survives, a signalling NaN too.
KERNEL(copy_bits, Nest nest, DST(y), SRC(x), i32 element_bytes) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    switch (element_bytes) {
      case 1:
        DST_AS(u8, y)[p.at[0]] = SRC_AS(u8, x)[p.at[1]];
        break;
      case 2:
        DST_AS(u16, y)[p.at[0]] = SRC_AS(u16, x)[p.at[1]];
        break;
      case 4:
        DST_AS(u32, y)[p.at[0]] = SRC_AS(u32, x)[p.at[1]];
        break;
      default:
        DST_AS(u64, y)[p.at[0]] = SRC_AS(u64, x)[p.at[1]];
    }
  }
}

KERNEL(copy_float, Nest nest, DST(y), SRC(x), i32 y_dtype, i32 x_dtype, i32 adds) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    double value = load_double(SRC_AT(x), p.at[1], x_dtype);
    if (adds) value += load_double(DST_AT(y), p.at[0], y_dtype);
    store_double(DST_AT(y), p.at[0], y_dtype, value);
  }
}

KERNEL(copy_integer, Nest nest, DST(y), SRC(x), i32 y_dtype, i32 x_dtype, i32 adds) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    u64 value = (u64)load_integer(SRC_AT(x), p.at[1], x_dtype);
    if (adds) value += (u64)load_integer(DST_AT(y), p.at[0], y_dtype);
    store_converted(DST_AT(y), p.at[0], y_dtype, (i64)value);
  }
}
