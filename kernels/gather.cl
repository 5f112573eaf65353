// gather: elements of x, by their positions along an axis.
#include "nest.h"

// An index out of range gives 0; check_range.cl reports it.
#define PICK(T)                                                 \
  DST_AS(T, y)[p.at[0]] = (T)(inside ? SRC_AS(T, x)[from] : 0); \
  break

// Operands of the nest: y, where in x each of its lines starts, index.
KERNEL(gather, Nest nest, DST(y), SRC(x), SRC(index), i64 x_step, i64 limit, i32 element_bytes) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    const i64 at = SRC_AS(i64, index)[p.at[2]];
    const i32 inside = 0 <= at && at < limit;
    const i64 from = inside ? p.at[1] + at * x_step : 0;
    switch (element_bytes) {
      case 1:
        PICK(u8);
      case 2:
        PICK(u16);
      case 4:
        PICK(u32);
      default:
        PICK(u64);
    }
  }
}
