// add, sub, mul, div, pow, maximum, minimum: element by element. Operands of the nest: y, a, b.
#include "nest.h"
#include "number.h"

// y = value, an expression of `left` and `right`, which are of a and b.
#define COMBINE(name, T, load, store, value)                   \
  KERNEL(name, Nest nest, DST(y), SRC(a), SRC(b), i32 dtype) { \
    FOR_EACH(i, nest.count) {                                  \
      const Places p = locate(&nest, i, 3);                    \
      const T left = (T)load(SRC_AT(a), p.at[1], dtype);       \
      const T right = (T)load(SRC_AT(b), p.at[2], dtype);      \
      store(DST_AT(y), p.at[0], dtype, value);                 \
    }                                                          \
  }
#define FLOATS(name, value) COMBINE(name, float, load_float, store_float, value)
#define INTEGERS(name, T, value) COMBINE(name, T, load_integer, store_integer, value)

// clang-format off
FLOATS(add_float, left + right)
FLOATS(sub_float, left - right)
FLOATS(mul_float, left * right)
FLOATS(div_float, left / right)
FLOATS(pow_float, pow(left, right))
FLOATS(maximum_float, left >= right || left != left ? left : right)
FLOATS(minimum_float, left <= right || left != left ? left : right)

// In unsigned numbers, which wrap.
INTEGERS(add_integer, u64, (i64)(left + right))
INTEGERS(sub_integer, u64, (i64)(left - right))
INTEGERS(mul_integer, u64, (i64)(left * right))
INTEGERS(maximum_integer, i64, left >= right ? left : right)
INTEGERS(minimum_integer, i64, left <= right ? left : right)
// clang-format on
