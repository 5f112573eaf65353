// The bodies of kernels on one element after the other, computed in float.
#ifndef BACKPLANE_KERNELS_ELEMENTWISE_H
#define BACKPLANE_KERNELS_ELEMENTWISE_H

#include "nest.h"
#include "number.h"

// y = value, an expression of `element`, which is of x. Operands of the nest: y, x.
#define MAP(value)                                               \
  FOR_EACH(i, nest.count) {                                      \
    const Places p = locate(&nest, i, 2);                        \
    const float element = load_float(SRC_AT(x), p.at[1], dtype); \
    store_float(DST_AT(y), p.at[0], dtype, value);               \
  }

// dx = value, an expression of `gradient`, which is of dy, and of `element`, which is of the operand
// `saved`. Operands of the nest: dx, dy, saved.
#define MAP_GRADIENT(saved, value)                                   \
  FOR_EACH(i, nest.count) {                                          \
    const Places p = locate(&nest, i, 3);                            \
    const float gradient = load_float(SRC_AT(dy), p.at[1], dtype);   \
    const float element = load_float(SRC_AT(saved), p.at[2], dtype); \
    store_float(DST_AT(dx), p.at[0], dtype, value);                  \
  }

#endif
