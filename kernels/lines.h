// Reductions: `lanes` neighbouring work-items share a line and combine what they found in a tree.
//
// The shape of the tree depends on nothing but `lanes`, so that a sum has the same bits each time.
// `lanes` is a power of two up to GROUP, the same for all work-items, which all meet the barriers.
#ifndef BACKPLANE_KERNELS_LINES_H
#define BACKPLANE_KERNELS_LINES_H

#include "nest.h"

// As many lanes as a group has; the host counts on groups of 256.
#define FIT(lanes) ((lanes) < GROUP ? (lanes) : GROUP)

// Visits lines; in the last round of a group `line` may lie past the end, see LENGTH_OF.
#define FOR_EACH_LINE(line, count, lanes)                                  \
  for (i64 line = GROUP_ID * (GROUP / FIT(lanes)) + LOCAL_ID / FIT(lanes); \
       line - LOCAL_ID / FIT(lanes) < (count); line += GROUP_COUNT * (GROUP / FIT(lanes)))

#define LENGTH_OF(line, count, length) ((line) < (count) ? (length) : 0)
#define LANE(lanes) (LOCAL_ID & (FIT(lanes) - 1))
#define FOR_EACH_IN_LINE(i, first, last, lanes) \
  for (i64 i = (first) + LANE(lanes); i < (last); i += FIT(lanes))

// Lines that are cut into `chunks`, which count as lines themselves: the output of one, and which
// of its `length` elements it has; none past the end.
typedef struct Chunk {
  i64 output, first, last;
} Chunk;

FN Chunk chunk_of(i64 line, i64 outputs, i64 chunks, i64 length) {
  const i64 chunk_length = (length + chunks - 1) / chunks;
  Chunk chunk;
  chunk.output = quotient(line, chunks);
  chunk.first = (line - chunk.output * chunks) * chunk_length;
  chunk.last = chunk.first + chunk_length;
  if (chunk.last > length) chunk.last = length;
  if (line >= outputs * chunks) chunk.last = 0;
  return chunk;
}

// Defines T name(scratch, lanes, value): `combine`(mine, other) over the lanes of each line. The
// scratch may be used again at once.
#define TREE(name, T, combine)                                \
  FN T name(LOCAL T* scratch, i32 lanes, T value) {           \
    const i32 lane = LANE(lanes);                             \
    scratch[LOCAL_ID] = value;                                \
    BARRIER();                                                \
    for (i32 width = FIT(lanes) / 2; width > 0; width /= 2) { \
      if (lane < width) {                                     \
        const T mine = scratch[LOCAL_ID];                     \
        const T other = scratch[LOCAL_ID + width];            \
        scratch[LOCAL_ID] = combine(mine, other);             \
      }                                                       \
      BARRIER();                                              \
    }                                                         \
    const T result = scratch[LOCAL_ID - lane];                \
    BARRIER();                                                \
    return result;                                            \
  }

// The entry of a value and a place that `wins`(value, place, other value, other place) over those
// of the other lanes of its line; it ends at the first one.
#define TREE_OF_PLACES(T, values, places, lanes, wins)                     \
  BARRIER();                                                               \
  for (i32 width = FIT(lanes) / 2; width > 0; width /= 2) {                \
    if (LANE(lanes) < width) {                                             \
      const T other = (values)[LOCAL_ID + width];                          \
      const i64 other_at = (places)[LOCAL_ID + width];                     \
      if (wins(other, other_at, (values)[LOCAL_ID], (places)[LOCAL_ID])) { \
        (values)[LOCAL_ID] = other;                                        \
        (places)[LOCAL_ID] = other_at;                                     \
      }                                                                    \
    }                                                                      \
    BARRIER();                                                             \
  }

#define PLUS(a, b) ((a) + (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

TREE(tree_sum, float, PLUS)
TREE(tree_integer_sum, u64, PLUS)  // unsigned: it wraps
TREE(tree_max, float, LARGER)
TREE(tree_integer_min, i64, SMALLER)

#endif
