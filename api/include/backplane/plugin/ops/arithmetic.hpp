// Element-wise operations on two operands. Broadcasting is done by the caller through strides of
// 0: operands have equal dims.
#pragma once

#include <cstdint>

namespace backplane::op {

// a, b -> y = a + b.
struct Add {};

// a, b -> y = a * b.
struct Mul {};

// x -> y = scale * x + shift, rounded once.
struct Affine {
  struct Scalars {
    double scale, shift;
  };
};

// clang-format off
#define BACKPLANE_ARITHMETIC_OPS(row)              \
  row(Add,    add,      3, 2, 1, 0, true,  false)  \
  row(Mul,    mul,      4, 2, 1, 0, true,  false)  \
  row(Affine, affine,   5, 1, 1, 0, true,  false)
// clang-format on

}  // namespace backplane::op
