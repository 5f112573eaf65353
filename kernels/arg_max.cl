// arg_max and arg_min: where along a line the extremum stands; the first of equals, the first NaN.
#include "lines.h"
#include "number.h"

// Whether a value is a better answer than the best one; -1 stands for no answer. NaN is what
// differs from itself; of integers, none does.
#define WINS(value, at, best, best_at)                                               \
  ((at) >= 0 &&                                                                      \
   ((best_at) < 0 || ((value) != (value) && (best) == (best)) || (value) > (best) || \
    ((at) < (best_at) && ((value) == (best) || ((value) != (value) && (best) != (best))))))

// Operands of both nests: y, x. The smallest element is the largest one of the reversed ones.
#define ARG_MAX(name, T, load, reversed)                                             \
  KERNEL(name, Nest lines, Nest line_elements, DST(y), SRC(x), i32 dtype, i32 lanes, \
         i32 smallest) {                                                             \
    SHARED(T, values, GROUP);                                                        \
    SHARED(i64, places, GROUP);                                                      \
    FOR_EACH_LINE(line, lines.count, lanes) {                                        \
      const Places first = locate(&lines, line, 2);                                  \
      const i64 length = LENGTH_OF(line, lines.count, line_elements.count);          \
      T best = 0;                                                                    \
      i64 best_at = -1;                                                              \
      FOR_EACH_IN_LINE(i, 0, length, lanes) {                                        \
        const i64 at = first.at[1] + locate(&line_elements, i, 2).at[1];             \
        const T element = load(SRC_AT(x), at, dtype);                                \
        const T value = smallest ? reversed(element) : element;                      \
        if (WINS(value, i, best, best_at)) {                                         \
          best = value;                                                              \
          best_at = i;                                                               \
        }                                                                            \
      }                                                                              \
      values[LOCAL_ID] = best;                                                       \
      places[LOCAL_ID] = best_at;                                                    \
      TREE_OF_PLACES(T, values, places, lanes, WINS)                                 \
      if (LANE(lanes) == 0 && line < lines.count) {                                  \
        DST_AS(i64, y)[first.at[0]] = places[LOCAL_ID];                              \
      }                                                                              \
      BARRIER();                                                                     \
    }                                                                                \
  }

#define NEGATIVE(x) (-(x))
#define COMPLEMENT(x) (~(x))  // the least integer has no negative
ARG_MAX(arg_max_float, float, load_float, NEGATIVE)
ARG_MAX(arg_max_integer, i64, load_integer, COMPLEMENT)
