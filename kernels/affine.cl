// affine: y = scale * x + shift, rounded once. Operands of the nest: y, x.
#include "nest.h"
#include "number.h"

// In double, because the scalars are: 0.1 has no float.
KERNEL(affine_float, Nest nest, DST(y), SRC(x), i32 dtype, double scale, double shift) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    const double value = fma(scale, load_double(SRC_AT(x), p.at[1], dtype), shift);
    store_double(DST_AT(y), p.at[0], dtype, value);
  }
}

// With whole scalars: exact, and it wraps.
KERNEL(affine_integer, Nest nest, DST(y), SRC(x), i32 dtype, i64 scale, i64 shift) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    const u64 value = (u64)scale * (u64)load_integer(SRC_AT(x), p.at[1], dtype) + (u64)shift;
    store_integer(DST_AT(y), p.at[0], dtype, (i64)value);
  }
}

// With other scalars: as from floating, by the rules of copy.
KERNEL(affine_rounded, Nest nest, DST(y), SRC(x), i32 dtype, double scale, double shift) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    const double value = fma(scale, (double)load_integer(SRC_AT(x), p.at[1], dtype), shift);
    store_double(DST_AT(y), p.at[0], dtype, value);
  }
}
