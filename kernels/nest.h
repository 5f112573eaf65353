// Strided walks: from the number of an element to where each operand keeps it.
#ifndef BACKPLANE_KERNELS_NEST_H
#define BACKPLANE_KERNELS_NEST_H

#include "dialect.h"

typedef struct Places {
  i64 at[MAX_OPERANDS];
} Places;

// Division of 64-bit numbers is slow on GPUs, and most indices fit into 32.
FN i64 quotient(i64 number, i64 divisor) {
  if (((number | divisor) >> 32) == 0) return (i64)((u32)number / (u32)divisor);
  return number / divisor;
}

// `operands` is a constant where this is called, and its loops unroll.
FN Places locate(const Nest* nest, i64 index, i32 operands) {
  Places places;
  for (i32 o = 0; o < operands; ++o) places.at[o] = nest->dense ? index : 0;
  if (nest->dense) return places;
  for (i32 axis = nest->rank - 1; axis >= 0; --axis) {
    const i64 outer = axis == 0 ? 0 : quotient(index, nest->dims[axis]);
    const i64 here = index - outer * nest->dims[axis];
    for (i32 o = 0; o < operands; ++o) places.at[o] += here * nest->strides[o][axis];
    index = outer;
  }
  return places;
}

#endif
