// Arithmetic on two operands. What each function computes, NaN and ties included, is written in the
// definitions of the operations; integers wrap.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

struct Add {};
struct Sub {};
struct Mul {};
struct Maximum {};
struct Minimum {};
struct Div {};
struct Pow {};

// Of every type of BACKPLANE_CPU_NUMBERS, and of floats alone.
#define BACKPLANE_CPU_NUMBER_PAIRS(row) row(Add) row(Sub) row(Mul) row(Maximum) row(Minimum)
#define BACKPLANE_CPU_FLOAT_PAIRS(row) row(Div) row(Pow)

// dst = function(a, b).
template <class Function, class T>
void map(const Function& function, Plane plane, Strided<const T> a, Strided<const T> b,
         Strided<T> dst);

}  // namespace backplane::cpu
