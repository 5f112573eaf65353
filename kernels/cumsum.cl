// cumsum: running sums along lines, each shared by `lanes` work-items, which go along it side by
// side, a piece of so many elements at a time. Operands of both nests: y, x.
#include "lines.h"
#include "number.h"

// Within a piece each lane adds what stands 1, 2, 4 ... lanes before it (Hillis and Steele, Data
// Parallel Algorithms, 1986). All work-items meet the barriers, those without an element too.
#define CUMSUM(name, T, load, store)                                                           \
  KERNEL(name, Nest lines, Nest elements, DST(y), SRC(x), i32 dtype, i32 lanes, i32 reverse) { \
    SHARED(T, scratch, GROUP);                                                                 \
    const i32 lane = LANE(lanes);                                                              \
    FOR_EACH_LINE(line, lines.count, lanes) {                                                  \
      const Places place = locate(&lines, line < lines.count ? line : 0, 2);                   \
      T before = 0;                                                                            \
      for (i64 first = 0; first < elements.count; first += FIT(lanes)) {                       \
        const i64 i = first + lane;                                                            \
        const i32 inside = line < lines.count && i < elements.count;                           \
        const Places at = locate(&elements, reverse ? elements.count - 1 - i : i, 2);          \
        T sum = inside ? (T)load(SRC_AT(x), place.at[1] + at.at[1], dtype) : (T)0;             \
        for (i32 distance = 1; distance < FIT(lanes); distance *= 2) {                         \
          scratch[LOCAL_ID] = sum;                                                             \
          BARRIER();                                                                           \
          if (lane >= distance) sum += scratch[LOCAL_ID - distance];                           \
          BARRIER();                                                                           \
        }                                                                                      \
        sum += before;                                                                         \
        if (inside) store(DST_AT(y), place.at[0] + at.at[0], dtype, sum);                      \
        scratch[LOCAL_ID] = sum;                                                               \
        BARRIER();                                                                             \
        before = scratch[LOCAL_ID - lane + FIT(lanes) - 1];                                    \
        BARRIER();                                                                             \
      }                                                                                        \
    }                                                                                          \
  }

CUMSUM(cumsum_float, float, load_float, store_float)
CUMSUM(cumsum_integer, u64, load_integer, store_integer)  // unsigned: it wraps
