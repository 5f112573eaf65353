// Arithmetic instructions: add to tanh, for integers, floats, halves and pairs of halves.
#pragma once

#include <algorithm>
#include <cfenv>

#include "device/rounding.h"

namespace backplane::sim::device {

// Applies an operation of one half type to both halves of a pair.
template <class T, class Operation>
inline T each_half(Operation operation) {
  return T{operation(&T::low), operation(&T::high)};
}

template <class T>
inline T flush(T value) {  // .ftz
  if constexpr (std::is_floating_point_v<T>) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T(0), value) : value;
  } else {
    return value;
  }
}

template <class T>
inline T saturate(T value) {  // .sat: to [0, 1], NaN to +0
  if constexpr (std::is_floating_point_v<T>) {
    return value > T(0) ? std::min(value, T(1)) : T(0);
  } else if constexpr (is_half<T>) {
    return narrow<T>(saturate(widen(value)), Rounding::nearest);
  } else if constexpr (is_pair<T>) {
    return {saturate(value.low), saturate(value.high)};
  } else {
    return value;
  }
}

// Runs a double operation in another rounding mode; volatile keeps it from moving out.
template <class Operation>
inline double in_mode(Rounding rounding, Operation operation) {
  if (rounding == Rounding::nearest) return operation();
  const int old = std::fegetround();
  std::fesetround(rounding == Rounding::zero ? FE_TOWARDZERO
                  : rounding == Rounding::up ? FE_UPWARD
                                             : FE_DOWNWARD);
  volatile double result = operation();
  std::fesetround(old);
  return result;
}

template <class T>
inline T add(T a, T b, Rounding rounding = Rounding::nearest) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
  } else if constexpr (is_pair<T>) {
    return {add(a.low, b.low, rounding), add(a.high, b.high, rounding)};
  } else if constexpr (std::is_same_v<T, f64>) {
    volatile f64 x = a, y = b;
    return rounding == Rounding::nearest ? a + b : in_mode(rounding, [&] { return x + y; });
  } else {
    if constexpr (std::is_same_v<T, f32>) {
      if (rounding == Rounding::nearest) return a + b;
    }
    return narrow<T>(add_to_odd(widen(a), widen(b)), rounding);
  }
}

template <class T>
inline T negate(T a) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(0 - static_cast<u64>(a));
  } else if constexpr (is_half<T>) {
    return {static_cast<u16>(a.bits ^ 0x8000)};
  } else if constexpr (is_pair<T>) {
    return {negate(a.low), negate(a.high)};
  } else {
    return -a;
  }
}

template <class T>
inline T subtract(T a, T b, Rounding rounding = Rounding::nearest) {
  return add(a, negate(b), rounding);
}

template <class T>
inline T absolute(T a) {
  if constexpr (std::is_integral_v<T>) {
    return a < 0 ? negate(a) : a;
  } else if constexpr (is_half<T>) {
    return {static_cast<u16>(a.bits & 0x7FFF)};
  } else if constexpr (is_pair<T>) {
    return {absolute(a.low), absolute(a.high)};
  } else {
    return std::fabs(a);
  }
}

template <class T>
inline T multiply(T a, T b, Rounding rounding = Rounding::nearest) {
  if constexpr (std::is_integral_v<T>) {  // .lo
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
  } else if constexpr (is_pair<T>) {
    return {multiply(a.low, b.low, rounding), multiply(a.high, b.high, rounding)};
  } else if constexpr (std::is_same_v<T, f64>) {
    volatile f64 x = a, y = b;
    return rounding == Rounding::nearest ? a * b : in_mode(rounding, [&] { return x * y; });
  } else {
    if constexpr (std::is_same_v<T, f32>) {
      if (rounding == Rounding::nearest) return a * b;
    }
    return narrow<T>(static_cast<double>(widen(a)) * widen(b), rounding);
  }
}

template <class T>
inline T multiply_high(T a, T b) {
  return static_cast<T>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b) >> (8 * sizeof(T)));
}

template <class T>
inline Wider<T> multiply_wide(T a, T b) {
  return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
}

// mul24 takes the low 24 bits of both; .hi gives bits 16 to 47 of the product.
template <class T>
inline T multiply_24(T a, T b, bool high) {
  const auto cut = [](T x) { return static_cast<s64>(static_cast<T>(x << 8) >> 8); };
  const s64 product = cut(a) * cut(b);
  return static_cast<T>(high ? product >> 16 : product);
}

template <class T>
inline T multiply_add(T a, T b, T c, Rounding rounding = Rounding::nearest) {  // fma
  if constexpr (is_pair<T>) {
    return {multiply_add(a.low, b.low, c.low, rounding),
            multiply_add(a.high, b.high, c.high, rounding)};
  } else if constexpr (std::is_same_v<T, f64>) {
    volatile f64 x = a, y = b, z = c;
    if (rounding == Rounding::nearest) return std::fma(a, b, c);
    return in_mode(rounding, [&] { return std::fma(x, y, z); });
  } else {
    if constexpr (std::is_same_v<T, f32>) {
      if (rounding == Rounding::nearest) return std::fma(a, b, c);
    }
    return narrow<T>(add_to_odd(static_cast<double>(widen(a)) * widen(b), widen(c)), rounding);
  }
}

template <class T>
inline T divide(T a, T b, Rounding rounding = Rounding::nearest) {
  if constexpr (std::is_integral_v<T>) {
    // The card gives all ones for a division by zero, and wraps the smallest number by -1.
    if (b == 0) return static_cast<T>(~u64{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return negate(a);
    }
    return static_cast<T>(a / b);
  } else if constexpr (std::is_same_v<T, f64>) {
    volatile f64 x = a, y = b;
    return rounding == Rounding::nearest ? a / b : in_mode(rounding, [&] { return x / y; });
  } else {
    return narrow<T>(static_cast<double>(widen(a)) / widen(b), rounding);
  }
}

template <class T>
inline T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return 0;
  }
  return static_cast<T>(a % b);
}

// Minimum and maximum: -0 is less than +0; a NaN loses unless `keep_nan` (.NaN) is given.
template <class T>
inline T smaller(T a, T b, bool keep_nan = false) {
  if constexpr (std::is_integral_v<T>) {
    return std::min(a, b);
  } else if constexpr (is_pair<T>) {
    return {smaller(a.low, b.low, keep_nan), smaller(a.high, b.high, keep_nan)};
  } else {
    const auto x = widen(a);
    const auto y = widen(b);
    if (std::isnan(x)) return keep_nan ? a : b;
    if (std::isnan(y)) return keep_nan ? b : a;
    if (x == y) return std::signbit(x) ? a : b;
    return x < y ? a : b;
  }
}

template <class T>
inline T larger(T a, T b, bool keep_nan = false) {
  if constexpr (std::is_integral_v<T>) {
    return std::max(a, b);
  } else {
    return negate(smaller(negate(a), negate(b), keep_nan));
  }
}

// Functions of one number. The card's .approx forms are off by a few units in the last place; here
// they are rounded correctly, so a test must allow for the card's error, not for ours.
template <class T, class Function>
inline T apply(T a, Function function, Rounding rounding = Rounding::nearest) {
  if constexpr (is_pair<T>) {
    return {apply(a.low, function, rounding), apply(a.high, function, rounding)};
  } else {
    return narrow<T>(function(static_cast<double>(widen(a))), rounding);
  }
}
template <class T>
inline T square_root(T a, Rounding rounding = Rounding::nearest) {
  return apply(
      a,
      [&](double x) {
        volatile double y = x;
        return std::is_same_v<T, f64> ? in_mode(rounding, [&] { return std::sqrt(y); })
                                      : std::sqrt(y);
      },
      rounding);
}
template <class T>
inline T reciprocal(T a, Rounding rounding = Rounding::nearest) {
  if constexpr (std::is_same_v<T, f64>) return divide(1.0, a, rounding);
  return apply(
      a, [](double x) { return 1 / x; }, rounding);
}
template <class T>
inline T reciprocal_root(T a) {
  return apply(a, [](double x) { return 1 / std::sqrt(x); });
}
template <class T>
inline T exp2(T a) {
  return apply(a, [](double x) { return std::exp2(x); });
}
template <class T>
inline T log2(T a) {
  return apply(a, [](double x) { return std::log2(x); });
}
template <class T>
inline T sine(T a) {
  return apply(a, [](double x) { return std::sin(x); });
}
template <class T>
inline T cosine(T a) {
  return apply(a, [](double x) { return std::cos(x); });
}
template <class T>
inline T tangent_hyperbolic(T a) {
  return apply(a, [](double x) { return std::tanh(x); });
}

template <class T>
inline T copy_sign(T sign, T magnitude) {
  return std::copysign(magnitude, sign);
}

// add.sat.s32 and its kin: clamped instead of wrapped.
inline s32 clamp_to_s32(s64 value) {
  return static_cast<s32>(
      std::clamp<s64>(value, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
}

// a + b + carry, and a - b - borrow, in the .cc forms; `carry` is the condition code register.
template <class T>
inline T add_carry(T a, T b, bool carry_in, bool& carry_out) {
  using U = std::make_unsigned_t<T>;
  const auto sum =
      static_cast<Wider<U>>(static_cast<U>(a)) + static_cast<U>(b) + (carry_in ? 1 : 0);
  carry_out = (sum >> (8 * sizeof(T))) != 0;
  return static_cast<T>(sum);
}
template <class T>
inline T subtract_borrow(T a, T b, bool borrow_in, bool& borrow_out) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(a);
  const U y = static_cast<U>(b);
  borrow_out = x < y || (borrow_in && x == y);
  return static_cast<T>(x - y - (borrow_in ? 1 : 0));
}

}  // namespace backplane::sim::device
