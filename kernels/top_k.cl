// top_k: the largest or smallest elements of a line, in order, each found after the one before it.
#include "lines.h"
#include "number.h"

// NaN is what differs from itself, and the largest of all; of integers, none does.
#define ABOVE(a, b) ((a) > (b) || ((a) != (a) && (b) == (b)))

// Whether one entry comes before another: -1 stands for no entry, among equals the first comes
// first.
#define PRECEDES(a, a_at, b, b_at)                                        \
  ((a_at) >= 0 && ((b_at) < 0 || (largest ? ABOVE(a, b) : ABOVE(b, a)) || \
                   (!(largest ? ABOVE(b, a) : ABOVE(a, b)) && (a_at) < (b_at))))

// Operands of the nest: values, positions, x; the steps are theirs along a line.
#define TOP_K(name, T, load, store)                                                      \
  KERNEL(name, Nest lines, DST(values), DST(positions), SRC(x), i64 values_step,         \
         i64 positions_step, i64 x_step, i64 length, i64 wanted, i32 largest, i32 dtype, \
         i32 lanes) {                                                                    \
    SHARED(T, best_values, GROUP);                                                       \
    SHARED(i64, best_places, GROUP);                                                     \
    FOR_EACH_LINE(line, lines.count, lanes) {                                            \
      const Places first = locate(&lines, line, 3);                                      \
      const i64 count = LENGTH_OF(line, lines.count, length);                            \
      T last = 0;                                                                        \
      i64 last_at = -1;                                                                  \
      for (i64 k = 0; k < wanted; ++k) {                                                 \
        T best = 0;                                                                      \
        i64 best_at = -1;                                                                \
        FOR_EACH_IN_LINE(i, 0, count, lanes) {                                           \
          const T value = load(SRC_AT(x), first.at[2] + i * x_step, dtype);              \
          if (k > 0 && !PRECEDES(last, last_at, value, i)) continue;                     \
          if (PRECEDES(value, i, best, best_at)) {                                       \
            best = value;                                                                \
            best_at = i;                                                                 \
          }                                                                              \
        }                                                                                \
        best_values[LOCAL_ID] = best;                                                    \
        best_places[LOCAL_ID] = best_at;                                                 \
        TREE_OF_PLACES(T, best_values, best_places, lanes, PRECEDES)                     \
        last = best_values[LOCAL_ID - LANE(lanes)];                                      \
        last_at = best_places[LOCAL_ID - LANE(lanes)];                                   \
        BARRIER();                                                                       \
        if (LANE(lanes) == 0 && line < lines.count) {                                    \
          store(DST_AT(values), first.at[0] + k * values_step, dtype, last);             \
          DST_AS(i64, positions)[first.at[1] + k * positions_step] = last_at;            \
        }                                                                                \
      }                                                                                  \
    }                                                                                    \
  }

TOP_K(top_k_float, float, load_float, store_float)
TOP_K(top_k_integer, i64, load_integer, store_integer)
