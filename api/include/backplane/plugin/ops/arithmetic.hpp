// Element-wise operations on two operands. Broadcasting is done by the caller through strides of
// 0: operands have equal dims. Integers wrap.
#pragma once

#include <cstdint>

namespace backplane::op {

// a, b -> y = a + b.
struct Add {};

// a, b -> y = a * b.
struct Mul {};

// a, b -> y = a - b.
struct Sub {};

// a, b -> y = a / b, of floats.
struct Div {};

// a, b -> y = a^b, of floats, by IEEE 754 (9.2.1): 1 where b is 0 or a is 1, even if the other one
// is NaN; NaN where a is below 0 and b is finite, but no whole number.
struct Pow {};

// a, b -> y = a where a >= b or a is NaN, else b: a NaN wins, and of +0 and -0 the first.
struct Maximum {};

// a, b -> y = a where a <= b or a is NaN, else b.
struct Minimum {};

// x -> y = scale * x + shift, rounded once.
struct Affine {
  struct Scalars {
    double scale, shift;
  };
};

// clang-format off
#define BACKPLANE_ARITHMETIC_OPS(row)                \
  row(Add,     add,       3, 2, 1, 0, true,  false)  \
  row(Mul,     mul,       4, 2, 1, 0, true,  false)  \
  row(Affine,  affine,    5, 1, 1, 0, true,  false)  \
  row(Sub,     sub,      60, 2, 1, 0, true,  false)  \
  row(Div,     div,      61, 2, 1, 0, true,  false)  \
  row(Pow,     pow,      62, 2, 1, 0, true,  false)  \
  row(Maximum, maximum,  63, 2, 1, 0, true,  false)  \
  row(Minimum, minimum,  64, 2, 1, 0, true,  false)
// clang-format on

}  // namespace backplane::op
