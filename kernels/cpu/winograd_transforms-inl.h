// The one-dimensional transforms of F(4, 3) and F(6, 3), on vectors of tiles.
#if defined(BACKPLANE_CPU_WINOGRAD_TRANSFORMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_WINOGRAD_TRANSFORMS_INL_H
#undef BACKPLANE_CPU_WINOGRAD_TRANSFORMS_INL_H
#else
#define BACKPLANE_CPU_WINOGRAD_TRANSFORMS_INL_H
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

HWY_INLINE Vector set(float value) {
  return hn::Set(Floats(), value);
}

// Rows of points x and -x differ in the sign of the odd terms.
HWY_INLINE void sum_and_difference(Vector even, Vector odd, Vector& plus, Vector& minus) {
  plus = hn::Add(even, odd);
  minus = hn::Sub(even, odd);
}

// Points 0, 1, -1, 2, -2, infinity.
struct TransformsOf4 {
  static constexpr int outputs = 4, points = 6;

  static HWY_INLINE void input(Vector (&d)[points]) {
    const Vector d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3], d4 = d[4];
    const Vector four = set(4), five = set(5);
    d[0] = hn::MulAdd(four, d0, hn::NegMulAdd(five, d2, d4));
    d[5] = hn::MulAdd(four, d1, hn::NegMulAdd(five, d3, d[5]));
    sum_and_difference(hn::NegMulAdd(four, d2, d4), hn::NegMulAdd(four, d1, d3), d[1], d[2]);
    const Vector odd = hn::Sub(d3, d1);
    sum_and_difference(hn::Sub(d4, d2), hn::Add(odd, odd), d[3], d[4]);
  }

  static HWY_INLINE void output(const Vector (&m)[points], Vector (&y)[outputs]) {
    const Vector even1 = hn::Add(m[1], m[2]), odd1 = hn::Sub(m[1], m[2]);
    const Vector even2 = hn::Add(m[3], m[4]), odd2 = hn::Sub(m[3], m[4]);
    y[0] = hn::Add(hn::Add(m[0], even1), even2);
    y[1] = hn::MulAdd(set(2), odd2, odd1);
    y[2] = hn::MulAdd(set(4), even2, even1);
    y[3] = hn::MulAdd(set(8), odd2, hn::Add(odd1, m[5]));
  }

  static HWY_INLINE void weight(Vector g0, Vector g1, Vector g2, Vector (&u)[points]) {
    u[0] = hn::Mul(set(1.0f / 4), g0);
    sum_and_difference(hn::Mul(set(-1.0f / 6), hn::Add(g0, g2)), hn::Mul(set(-1.0f / 6), g1), u[1],
                       u[2]);
    sum_and_difference(hn::MulAdd(set(1.0f / 6), g2, hn::Mul(set(1.0f / 24), g0)),
                       hn::Mul(set(1.0f / 12), g1), u[3], u[4]);
    u[5] = g2;
  }
};

// Points 0, 1, -1, 2, -2, 1/2, -1/2, infinity.
struct TransformsOf6 {
  static constexpr int outputs = 6, points = 8;

  static HWY_INLINE void input(Vector (&d)[points]) {
    const Vector d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3], d4 = d[4], d5 = d[5], d6 = d[6];
    d[0] = hn::MulAdd(set(5.25f), hn::Sub(d4, d2), hn::Sub(d0, d6));
    d[7] = hn::MulAdd(set(5.25f), hn::Sub(d3, d5), hn::Sub(d[7], d1));
    sum_and_difference(hn::NegMulAdd(set(4.25f), d4, hn::Add(d2, d6)),
                       hn::NegMulAdd(set(4.25f), d3, hn::Add(d1, d5)), d[1], d[2]);
    const Vector even = hn::NegMulAdd(set(1.25f), d4, d6);
    const Vector middle = hn::Mul(set(2.5f), d3);
    sum_and_difference(hn::MulAdd(set(0.25f), d2, even),
                       hn::MulAdd(set(0.5f), d1, hn::MulSub(set(2), d5, middle)), d[3], d[4]);
    sum_and_difference(hn::MulAdd(set(4), hn::NegMulAdd(set(1.25f), d4, d2), d6),
                       hn::MulAdd(set(2), d1, hn::MulSub(set(0.5f), d5, middle)), d[5], d[6]);
  }

  static HWY_INLINE void output(const Vector (&m)[points], Vector (&y)[outputs]) {
    const Vector even1 = hn::Add(m[1], m[2]), odd1 = hn::Sub(m[1], m[2]);
    const Vector even2 = hn::Add(m[3], m[4]), odd2 = hn::Sub(m[3], m[4]);
    const Vector even3 = hn::Add(m[5], m[6]), odd3 = hn::Sub(m[5], m[6]);
    y[0] = hn::Add(hn::Add(m[0], even1), hn::Add(even2, even3));
    y[1] = hn::MulAdd(set(0.5f), odd3, hn::MulAdd(set(2), odd2, odd1));
    y[2] = hn::MulAdd(set(0.25f), even3, hn::MulAdd(set(4), even2, even1));
    y[3] = hn::MulAdd(set(0.125f), odd3, hn::MulAdd(set(8), odd2, odd1));
    y[4] = hn::MulAdd(set(0.0625f), even3, hn::MulAdd(set(16), even2, even1));
    y[5] = hn::MulAdd(set(0.03125f), odd3, hn::MulAdd(set(32), odd2, hn::Add(odd1, m[7])));
  }

  static HWY_INLINE void weight(Vector g0, Vector g1, Vector g2, Vector (&u)[points]) {
    u[0] = g0;
    sum_and_difference(hn::Mul(set(-2.0f / 9), hn::Add(g0, g2)), hn::Mul(set(-2.0f / 9), g1), u[1],
                       u[2]);
    sum_and_difference(hn::MulAdd(set(2.0f / 45), g2, hn::Mul(set(1.0f / 90), g0)),
                       hn::Mul(set(1.0f / 45), g1), u[3], u[4]);
    sum_and_difference(hn::MulAdd(set(8.0f / 45), g2, hn::Mul(set(32.0f / 45), g0)),
                       hn::Mul(set(16.0f / 45), g1), u[5], u[6]);
    u[7] = g2;
  }
};

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
