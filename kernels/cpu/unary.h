// Functions of one element and their gradients, activations among them. What each one computes,
// NaN, infinities and kinks included, is written in the definitions of the operations.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// A function is a value that carries its parameters.
struct Neg {};
struct Abs {};
struct Sign {};
struct Exp {};
struct Log {};
struct Sqrt {};
struct Rsqrt {};
struct Square {};
struct Reciprocal {};
struct Clamp {
  float min, max;
};
struct LeakyRelu {
  float negative_slope;
};
struct Elu {
  float alpha;
};
struct Sigmoid {};
struct Tanh {};
struct Gelu {
  bool by_tanh;
};
struct Silu {};
struct Softplus {
  float beta, threshold;
};

// clang-format off
#define BACKPLANE_CPU_FUNCTIONS(row) \
  row(Neg) row(Abs) row(Sign) row(Exp) row(Log) row(Sqrt) row(Rsqrt) row(Square) row(Reciprocal) \
  row(Clamp) row(LeakyRelu) row(Elu) row(Sigmoid) row(Tanh) row(Gelu) row(Silu) row(Softplus)
// Those whose gradient has a kernel.
#define BACKPLANE_CPU_GRADIENTS(row) \
  row(Abs) row(Clamp) row(LeakyRelu) row(Elu) row(Sigmoid) row(Tanh) row(Gelu) row(Silu) \
  row(Softplus)
// clang-format on

// dst = function(src). For float, double.
template <class Function, class T>
void map(const Function& function, Plane plane, Strided<const T> src, Strided<T> dst);

// diff_src from diff_dst and `saved`: dst for Sigmoid and Tanh, else src. For float, double.
template <class Function, class T>
void map_gradient(const Function& function, Plane plane, Strided<const T> diff_dst,
                  Strided<const T> saved, Strided<T> diff_src);

}  // namespace backplane::cpu
