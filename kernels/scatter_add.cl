// scatter_add: elements of source added to y at their positions along an axis.
//
// Without atomics on floats, and in the order of the positions: equal indices of a line are linked
// to a chain, and the work-item at its head walks it and adds up all of it. To link costs as many
// comparisons as an element has places to its next equal; to add, one step for each element.
#include "nest.h"
#include "number.h"

// links[i]: how far along the axis the next equal index is, 0 if there is none. Then, from
// nest.count on, 1 where an element is not the head of its chain; those have to be 0 before. The
// nest has the dims of index and it as operand; `inner` of its elements lie between two along the
// axis, which has `length`.
KERNEL(link_equal, Nest nest, DST(links), SRC(index), i64 length, i64 inner, i64 index_step) {
  FOR_EACH(i, nest.count) {
    const i64 line = quotient(i, inner), first = locate(&nest, i, 1).at[0];
    const i64 left = length - (line - quotient(line, length) * length);
    const i64 value = SRC_AS(i64, index)[first];
    i64 distance = 0;
    for (i64 d = 1; d < left && distance == 0; ++d) {
      if (SRC_AS(i64, index)[first + d * index_step] == value) distance = d;
    }
    DST_AS(i64, links)[i] = distance;
    if (distance != 0) DST_AS(i64, links)[nest.count + i + distance * inner] = 1;
  }
}

// Operands of the nest, which has the dims of source: where in y each line starts, source, index,
// links.
#define SCATTER_ADD(name, T, load, store)                                                \
  KERNEL(name, Nest nest, DST(y), SRC(source), SRC(index), SRC(links), i64 link_count,   \
         i64 link_step, i64 y_step, i64 source_step, i64 limit, i32 dtype) {             \
    FOR_EACH(i, nest.count) {                                                            \
      const Places p = locate(&nest, i, 4);                                              \
      const i64 at = SRC_AS(i64, index)[p.at[2]];                                        \
      i64 from = p.at[1], link = p.at[3], distance = 1;                                  \
      if (at < 0 || at >= limit || SRC_AS(i64, links)[link_count + link] != 0) continue; \
      const i64 to = p.at[0] + at * y_step;                                              \
      T sum = (T)load(DST_AT(y), to, dtype);                                             \
      while (distance != 0) {                                                            \
        sum += (T)load(SRC_AT(source), from, dtype);                                     \
        distance = SRC_AS(i64, links)[link];                                             \
        from += distance * source_step;                                                  \
        link += distance * link_step;                                                    \
      }                                                                                  \
      store(DST_AT(y), to, dtype, sum);                                                  \
    }                                                                                    \
  }

#define STORE_WRAPPED(dst, index, dtype, value) store_integer(dst, index, dtype, (i64)(value))

SCATTER_ADD(scatter_add_float, float, load_float, store_float)
SCATTER_ADD(scatter_add_integer, u64, load_integer, STORE_WRAPPED)  // unsigned: it wraps
