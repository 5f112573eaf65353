// Truth values, kept in u8: operations write 1 for true and 0 for false, and read whatever isn't 0
// as true. Broadcasting as in arithmetic.hpp.
#pragma once

#include <cstdint>

namespace backplane::op {

// a, b of one type -> y = whether a == b. False where one is NaN; +0 and -0 are equal.
struct Equal {};

// a, b -> y = whether a != b: true where one is NaN.
struct NotEqual {};

// a, b -> y = whether a < b. False where one is NaN, as in LessEqual.
struct Less {};

// a, b -> y = whether a <= b.
struct LessEqual {};

// a, b of u8 -> y = a and b.
struct LogicalAnd {};

// a, b of u8 -> y = a or b.
struct LogicalOr {};

// a, b of u8 -> y = either a or b.
struct LogicalXor {};

// condition (u8), a, b -> y = a where the condition is true, else b, bit for bit.
struct Where {};

// clang-format off
#define BACKPLANE_COMPARISON_OPS(row)                       \
  row(Equal,      equal,        65, 2, 1, 0, false, false)  \
  row(NotEqual,   not_equal,    66, 2, 1, 0, false, false)  \
  row(Less,       less,         67, 2, 1, 0, false, false)  \
  row(LessEqual,  less_equal,   68, 2, 1, 0, false, false)  \
  row(LogicalAnd, logical_and,  69, 2, 1, 0, true,  false)  \
  row(LogicalOr,  logical_or,   70, 2, 1, 0, true,  false)  \
  row(LogicalXor, logical_xor,  71, 2, 1, 0, true,  false)  \
  row(Where,      where,        72, 3, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
