// The two 16-bit floating types: IEEE 754 binary16 and bfloat16, rounded to nearest even straight
// from double, because a stop at float would round twice.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace backplane::reference {

template <int exponent_bits, int fraction_bits>
struct SmallFloat {
  std::uint16_t bits;

  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr std::uint64_t infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  static constexpr int dropped_bits = 52 - fraction_bits;  // of a double's fraction

  static SmallFloat from(double value) {
    const std::uint64_t sign = std::bit_cast<std::uint64_t>(value) >> 63 << 15;
    return {static_cast<std::uint16_t>(sign | round_magnitude(std::fabs(value)))};
  }

  [[nodiscard]] double to_double() const {
    const std::uint64_t magnitude = bits & 0x7fffu;
    const std::uint64_t exponent = magnitude >> fraction_bits;
    const double sign = bits & 0x8000u ? -1.0 : 1.0;
    if (exponent == 0) return sign * std::ldexp(magnitude, 1 - bias - fraction_bits);
    std::uint64_t wide = (magnitude << dropped_bits) + (std::uint64_t{1023 - bias} << 52);
    if (magnitude >= infinity) wide |= std::uint64_t{0x7ff} << 52;
    return std::copysign(std::bit_cast<double>(wide), sign);
  }

 private:
  static std::uint64_t round_magnitude(double value) {
    if (std::isnan(value)) return infinity | (1u << (fraction_bits - 1));
    const double smallest_normal = std::ldexp(1.0, 1 - bias);
    // Subnormals lie evenly spaced; one that rounds up to a normal number has the right bits too.
    if (value < smallest_normal) {
      return static_cast<std::uint64_t>(
          std::nearbyint(std::ldexp(value, bias - 1 + fraction_bits)));
    }
    // Adding just under half of the last place, or exactly half to an odd number, carries where the
    // value must round up; a carry out of the fraction is the next exponent.
    std::uint64_t wide = std::bit_cast<std::uint64_t>(value);
    wide += (std::uint64_t{1} << (dropped_bits - 1)) - 1 + (wide >> dropped_bits & 1);
    wide = (wide >> dropped_bits) - (std::uint64_t{1023 - bias} << fraction_bits);
    return std::min(wide, infinity);
  }
};

using Float16 = SmallFloat<5, 10>;
using BFloat16 = SmallFloat<8, 7>;

}  // namespace backplane::reference
