// sum and mean: each output is a line of inputs, added by `lanes` work-items.
//
// Where outputs are few and lines long, a line is cut into `chunks`; their sums go to y densely, by
// output and chunk, and a second pass adds those. Operands of both nests: y, x.
#include "lines.h"
#include "number.h"

#define SUM(name, T, load, store, tree)                                                         \
  KERNEL(name, Nest outputs, Nest inputs, DST(y), SRC(x), i32 y_dtype, i32 x_dtype, i64 chunks, \
         i32 lanes, T divisor, i32 adds) {                                                      \
    SHARED(T, scratch, GROUP);                                                                  \
    const i64 lines = outputs.count * chunks;                                                   \
    FOR_EACH_LINE(line, lines, lanes) {                                                         \
      const Chunk chunk = chunk_of(line, outputs.count, chunks, inputs.count);                  \
      const Places places = locate(&outputs, chunk.output, 2);                                  \
      T sum = 0;                                                                                \
      FOR_EACH_IN_LINE(i, chunk.first, chunk.last, lanes) {                                     \
        sum += load(SRC_AT(x), places.at[1] + locate(&inputs, i, 2).at[1], x_dtype);            \
      }                                                                                         \
      sum = tree(scratch, lanes, sum) / divisor;                                                \
      if (LANE(lanes) == 0 && line < lines) {                                                   \
        const i64 at = chunks > 1 ? line : places.at[0];                                        \
        if (adds) sum += load(DST_AT(y), at, y_dtype);                                          \
        store(DST_AT(y), at, y_dtype, sum);                                                     \
      }                                                                                         \
    }                                                                                           \
  }

SUM(sum_float, float, load_float, store_float, tree_sum)
SUM(sum_integer, u64, load_integer, store_integer, tree_integer_sum)
