// Exact rounding in the four IEEE directions, to float, half and bfloat16.
//
// Sums and fused products are formed in double "rounded to odd": if bits were lost the last bit is
// set. Such a value still rounds correctly to any format at least two bits shorter (Boldo and
// Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
// odd", IEEE Transactions on Computers 57(4), 2008).
#pragma once

#include <cmath>
#include <limits>

#include "device/types.h"

namespace backplane::sim::device {

// rn, rz, rm, rp: nearest even, to zero, down, up. rna: nearest, ties away from zero.
enum class Rounding { nearest, zero, down, up, nearest_away };

inline double round_to_odd(double sum, double error) {
  if (error == 0 || !std::isfinite(sum)) return sum;
  u64 bits = get<u64>(sum);
  if ((bits & 1) != 0) return sum;
  return std::nextafter(sum, error > 0 ? std::numeric_limits<double>::infinity()
                                       : -std::numeric_limits<double>::infinity());
}

// Knuth's two-sum finds the part that the addition lost.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double shadow = sum - a;
  return round_to_odd(sum, (a - (sum - shadow)) + (b - shadow));
}

inline float to_float(double value, Rounding rounding) {
  float nearest = static_cast<float>(value);
  if (rounding == Rounding::nearest || std::isnan(value)) return nearest;
  const auto infinity = std::numeric_limits<float>::infinity();
  const bool above = nearest > value;
  const bool below = nearest < value;
  const bool down = rounding == Rounding::down || (rounding == Rounding::zero && value > 0);
  const bool up = rounding == Rounding::up || (rounding == Rounding::zero && value < 0);
  if (above && down) return std::nextafter(nearest, -infinity);
  if (below && up) return std::nextafter(nearest, infinity);
  return nearest;
}

// `digits` counts the leading one; the format's largest exponent is minus its smallest plus one.
struct Format {
  int digits;
  int least_exponent;
  u16 infinity;
};
inline constexpr Format kHalfFormat{11, -14, 0x7C00};
inline constexpr Format kBfloatFormat{8, -126, 0x7F80};

inline double round_integer(double magnitude, bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(magnitude);
    case Rounding::nearest_away:
      return std::floor(magnitude + 0.5);
    case Rounding::zero:
      return std::floor(magnitude);
    case Rounding::down:
      return negative ? std::ceil(magnitude) : std::floor(magnitude);
    case Rounding::up:
      return negative ? std::floor(magnitude) : std::ceil(magnitude);
  }
  return magnitude;
}

inline u16 to_short_format(double value, const Format& format, Rounding rounding) {
  if (std::isnan(value)) return 0x7FFF;
  const bool negative = std::signbit(value);
  const u16 sign = negative ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | format.infinity;
  if (magnitude == 0) return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, format.least_exponent);
  const double scaled = std::ldexp(magnitude, format.digits - 1 - exponent);
  const auto units = static_cast<u64>(round_integer(scaled, negative, rounding));
  // A carry out of the fraction moves into the exponent field by itself.
  const u64 leading = u64{1} << (format.digits - 1);
  const u64 field = static_cast<u64>(exponent - format.least_exponent);
  const u64 bits = field * leading + units;
  if (bits < format.infinity) return static_cast<u16>(sign | bits);
  const bool to_infinity = rounding == Rounding::nearest || rounding == Rounding::nearest_away ||
                           (rounding == Rounding::up && !negative) ||
                           (rounding == Rounding::down && negative);
  return static_cast<u16>(sign | (to_infinity ? format.infinity : format.infinity - 1));
}

inline f32 widen(f16 value) {
#if defined(__FLT16_MANT_DIG__)
  return static_cast<float>(get<_Float16>(value.bits));
#else
  const int exponent = value.bits >> 10 & 31;
  const double fraction = value.bits & 1023;
  double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  }
  return static_cast<float>((value.bits & 0x8000) != 0 ? -magnitude : magnitude);
#endif
}
inline f32 widen(bf16 value) {
  return get<f32>(static_cast<u32>(value.bits) << 16);
}
inline f32 widen(f32 value) {
  return value;
}
inline f64 widen(f64 value) {
  return value;
}

// Rounds a double to any float type.
template <class T>
inline T narrow(double value, Rounding rounding) {
  if constexpr (std::is_same_v<T, f64>) return value;
  if constexpr (std::is_same_v<T, f32>) return to_float(value, rounding);
  if constexpr (std::is_same_v<T, f16>) {
#if defined(__FLT16_MANT_DIG__)
    if (rounding == Rounding::nearest && !std::isnan(value)) {
      return {get<u16>(static_cast<_Float16>(value))};
    }
#endif
    return {to_short_format(value, kHalfFormat, rounding)};
  }
  if constexpr (std::is_same_v<T, bf16>) return {to_short_format(value, kBfloatFormat, rounding)};
}

}  // namespace backplane::sim::device
