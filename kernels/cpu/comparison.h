// Comparisons and logic, whose results are 0 or 1, and the choice between two operands.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

struct Equal {};
struct NotEqual {};
struct Less {};
struct LessEqual {};
struct LogicalAnd {};
struct LogicalOr {};
struct LogicalXor {};

// Of every type of BACKPLANE_CPU_NUMBERS, and of u8 alone.
#define BACKPLANE_CPU_COMPARISONS(row) row(Equal) row(NotEqual) row(Less) row(LessEqual)
#define BACKPLANE_CPU_LOGIC(row) row(LogicalAnd) row(LogicalOr) row(LogicalXor)

// dst = relation(a, b).
template <class Relation, class T>
void compare(const Relation& relation, Plane plane, Strided<const T> a, Strided<const T> b,
             Strided<std::uint8_t> dst);

// dst = a where the condition isn't 0, else b. Unsigned integers stand for all types of their size.
template <class T>
void choose(Plane plane, Strided<const std::uint8_t> condition, Strided<const T> a,
            Strided<const T> b, Strided<T> dst);

}  // namespace backplane::cpu
