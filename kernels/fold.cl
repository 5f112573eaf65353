// prod, max, min: each output is a line of inputs, combined by `lanes` work-items, in chunks as in
// sum.cl. Floats are combined as doubles, in which a product of floats neither overflows early nor
// rounds visibly. Operands of both nests: y, x.
#include "lines.h"
#include "number.h"

// `fold` is one of those in arguments.h. A NaN differs from itself, and wins; of integers, none
// does. Extrema start from the first element of the line, whichever lane or chunk it is.
#define FLOAT_PRODUCT(a, b) ((a) * (b))
#define INTEGER_PRODUCT(a, b) ((i64)((u64)(a) * (u64)(b)))
#define FOLD(name, T, load, store, product)                                                     \
  FN T name##_of(T a, T b, i32 fold) {                                                          \
    if (fold == FOLD_PROD) return product(a, b);                                                \
    if (a != a) return a;                                                                       \
    if (fold == FOLD_MAX) return a >= b ? a : b;                                                \
    return a <= b ? a : b;                                                                      \
  }                                                                                             \
  KERNEL(name, Nest outputs, Nest inputs, DST(y), SRC(x), i32 y_dtype, i32 x_dtype, i64 chunks, \
         i32 lanes, i32 fold) {                                                                 \
    SHARED(T, scratch, GROUP);                                                                  \
    const i64 lines = outputs.count * chunks;                                                   \
    FOR_EACH_LINE(line, lines, lanes) {                                                         \
      const Chunk chunk = chunk_of(line, outputs.count, chunks, inputs.count);                  \
      const Places places = locate(&outputs, chunk.output, 2);                                  \
      T value = 1;                                                                              \
      if (fold != FOLD_PROD && line < lines) value = load(SRC_AT(x), places.at[1], x_dtype);    \
      FOR_EACH_IN_LINE(i, chunk.first, chunk.last, lanes) {                                     \
        const i64 at = places.at[1] + locate(&inputs, i, 2).at[1];                              \
        value = name##_of(value, load(SRC_AT(x), at, x_dtype), fold);                           \
      }                                                                                         \
      scratch[LOCAL_ID] = value;                                                                \
      BARRIER();                                                                                \
      for (i32 width = FIT(lanes) / 2; width > 0; width /= 2) {                                 \
        if (LANE(lanes) < width) {                                                              \
          scratch[LOCAL_ID] = name##_of(scratch[LOCAL_ID], scratch[LOCAL_ID + width], fold);    \
        }                                                                                       \
        BARRIER();                                                                              \
      }                                                                                         \
      if (LANE(lanes) == 0 && line < lines) {                                                   \
        store(DST_AT(y), chunks > 1 ? line : places.at[0], y_dtype, scratch[LOCAL_ID]);         \
      }                                                                                         \
      BARRIER();                                                                                \
    }                                                                                           \
  }

FOLD(fold_float, double, load_double, store_double, FLOAT_PRODUCT)
FOLD(fold_integer, i64, load_integer, store_integer, INTEGER_PRODUCT)
