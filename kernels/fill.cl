// fill: one value everywhere, converted as copy does. Operand of the nest: y.
#include "nest.h"
#include "number.h"

KERNEL(fill, Nest nest, DST(y), i32 dtype, double value) {
  FOR_EACH(i, nest.count) store_double(DST_AT(y), locate(&nest, i, 1).at[0], dtype, value);
}
