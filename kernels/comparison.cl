// Comparisons and logic, whose results are 0 or 1 in u8, and the choice between two operands.
#include "nest.h"
#include "number.h"

// `relation` is one of those in arguments.h, the same for all elements. Operands of the nest: y, a,
// b.
#define COMPARE(name, T, load)                                                                 \
  FN u8 name##_holds(T left, T right, i32 relation) {                                          \
    switch (relation) {                                                                        \
      case RELATION_EQUAL:                                                                     \
        return left == right;                                                                  \
      case RELATION_NOT_EQUAL:                                                                 \
        return left != right;                                                                  \
      case RELATION_LESS:                                                                      \
        return left < right;                                                                   \
      case RELATION_LESS_EQUAL:                                                                \
        return left <= right;                                                                  \
      case RELATION_AND:                                                                       \
        return left != 0 && right != 0;                                                        \
      case RELATION_OR:                                                                        \
        return left != 0 || right != 0;                                                        \
      default:                                                                                 \
        return (left != 0) != (right != 0);                                                    \
    }                                                                                          \
  }                                                                                            \
  KERNEL(name, Nest nest, DST(y), SRC(a), SRC(b), i32 dtype, i32 relation) {                   \
    FOR_EACH(i, nest.count) {                                                                  \
      const Places p = locate(&nest, i, 3);                                                    \
      const T left = load(SRC_AT(a), p.at[1], dtype), right = load(SRC_AT(b), p.at[2], dtype); \
      DST_AS(u8, y)[p.at[0]] = name##_holds(left, right, relation);                            \
    }                                                                                          \
  }

COMPARE(compare_float, float, load_float)
COMPARE(compare_integer, i64, load_integer)

// As bits, so that every value of every type survives. Operands of the nest: y, condition, a, b.
// clang-format off
#define CHOOSE(T)         \
  DST_AS(T, y)[p.at[0]] = \
      SRC_AS(u8, condition)[p.at[1]] ? SRC_AS(T, a)[p.at[2]] : SRC_AS(T, b)[p.at[3]]
// clang-format on

KERNEL(where_bits, Nest nest, DST(y), SRC(condition), SRC(a), SRC(b), i32 element_bytes) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 4);
    switch (element_bytes) {
      case 1:
        CHOOSE(u8);
        break;
      case 2:
        CHOOSE(u16);
        break;
      case 4:
        CHOOSE(u32);
        break;
      default:
        CHOOSE(u64);
    }
  }
}
