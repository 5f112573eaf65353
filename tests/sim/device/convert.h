// cvt in all its roundings, and the comparisons of setp.
#pragma once

#include "device/arithmetic.h"

namespace backplane::sim::device {

enum class Integral { none, nearest, zero, down, up };  // rni, rzi, rmi, rpi

template <class T>
inline T to_integral(T x, Integral how) {
  switch (how) {
    case Integral::none:
      return x;
    case Integral::nearest:
      return std::nearbyint(x);
    case Integral::zero:
      return std::trunc(x);
    case Integral::down:
      return std::floor(x);
    case Integral::up:
      return std::ceil(x);
  }
  return x;
}

struct ConvertOptions {
  Rounding rounding = Rounding::nearest;
  Integral integral = Integral::none;
  bool saturate = false;
  bool flush = false;
  bool relu = false;
};

// Out-of-range values are clamped and NaN becomes zero, as the card does it.
template <class To>
inline To float_to_integer(double x, Integral how) {
  if (std::isnan(x)) return 0;
  x = to_integral(x, how == Integral::none ? Integral::zero : how);
  if (x <= static_cast<double>(std::numeric_limits<To>::min())) {
    return std::numeric_limits<To>::min();
  }
  if (x >= static_cast<double>(std::numeric_limits<To>::max())) {
    return std::numeric_limits<To>::max();
  }
  return static_cast<To>(x);
}

template <class To, class From>
inline To integer_to_integer(From x, bool clamp) {
  if (!clamp) return static_cast<To>(x);
  __extension__ using Wide = __int128;
  return static_cast<To>(
      std::clamp<Wide>(x, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
}

template <class To, class From>
inline To integer_to_float(From x, Rounding rounding) {
  if (rounding == Rounding::nearest && std::is_floating_point_v<To>) {
    if constexpr (std::is_floating_point_v<To>) return static_cast<To>(x);
  }
  // 64-bit integers do not fit a double: what is lost is kept as an odd last bit.
  const auto high = static_cast<double>(x);
  __extension__ using Wide = __int128;
  const auto lost = static_cast<double>(static_cast<Wide>(x) - static_cast<Wide>(high));
  if constexpr (std::is_same_v<To, f64>) {
    if (lost == 0) return high;
    const bool down = rounding == Rounding::down || (rounding == Rounding::zero && x > 0);
    if (lost < 0 && down) return std::nextafter(high, -std::numeric_limits<double>::infinity());
    if (lost > 0 && !down) return std::nextafter(high, std::numeric_limits<double>::infinity());
    return high;
  } else {
    return narrow<To>(round_to_odd(high, lost), rounding);
  }
}

template <class To, class From>
inline To convert(From x, const ConvertOptions& options) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return integer_to_integer<To>(x, options.saturate);
  } else if constexpr (std::is_integral_v<From>) {
    return integer_to_float<To>(x, options.rounding);
  } else if constexpr (std::is_integral_v<To>) {
    const auto value = widen(x);
    return float_to_integer<To>(options.flush ? flush(value) : value, options.integral);
  } else {
    auto value = widen(x);
    if (options.flush) value = flush(value);
    value = to_integral(value, options.integral);
    if (options.relu && !(value > 0) && !std::isnan(value)) value = 0;
    To result = narrow<To>(value, options.rounding);
    if (options.flush) result = flush(result);
    return options.saturate ? saturate(result) : result;
  }
}

// cvt.f16x2.f32 d, a, b: a becomes the high half.
template <class To>
inline To convert_pair(f32 high, f32 low, const ConvertOptions& options) {
  using Half = decltype(To::low);
  return {convert<Half>(low, options), convert<Half>(high, options)};
}

// cvt.rna.tf32.f32: ten bits of fraction, ties away from zero.
inline f32 to_tf32(f32 x) {
  if (!std::isfinite(x)) return x;
  return get<f32>((get<u32>(x) + 0x1000u) & ~0x1FFFu);
}

enum class Compare { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <class T>
inline bool compare(T a, T b, Compare how) {
  if constexpr (is_half<T>) {
    return compare(widen(a), widen(b), how);
  } else {
    const bool unordered = a != a || b != b;
    switch (how) {
      case Compare::eq:
        return a == b;
      case Compare::ne:
        return a != b && !unordered;
      case Compare::lt:
        return a < b;
      case Compare::le:
        return a <= b;
      case Compare::gt:
        return a > b;
      case Compare::ge:
        return a >= b;
      case Compare::equ:
        return a == b || unordered;
      case Compare::neu:
        return a != b || unordered;
      case Compare::ltu:
        return a < b || unordered;
      case Compare::leu:
        return a <= b || unordered;
      case Compare::gtu:
        return a > b || unordered;
      case Compare::geu:
        return a >= b || unordered;
      case Compare::num:
        return !unordered;
      case Compare::nan:
        return unordered;
    }
    return false;
  }
}

// set.CMP: all ones (or 1.0 for a float result) where true.
template <class To>
inline To truth(bool value) {
  if constexpr (std::is_integral_v<To>) {
    return value ? static_cast<To>(~u64{0}) : To(0);
  } else {
    return narrow<To>(value ? 1.0 : 0.0, Rounding::nearest);
  }
}

}  // namespace backplane::sim::device
