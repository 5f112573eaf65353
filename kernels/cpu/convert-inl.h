// The conversion of one element, in a form that compilers turn into vectors: selects, no branches.
#pragma once

#include <bit>
#include <limits>
#include <type_traits>

#include "cpu/types.h"
#include "hwy/base.h"

namespace backplane::cpu {

HWY_INLINE float widen(BFloat16 x) {
  return std::bit_cast<float>(std::uint32_t{x.bits} << 16);
}

// Shifting exponent and mantissa into place leaves the exponent 112 too small, which a product
// mends, denormals included; infinities and NaN get the exponent that a product can't give.
HWY_INLINE float widen(Half x) {
  const std::uint32_t sign = (x.bits & 0x8000u) << 16, magnitude = (x.bits & 0x7FFFu) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x0F800000u ? 0x7F800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

template <class T>
HWY_INLINE T widen(T x) {
  return x;
}

HWY_INLINE BFloat16 narrow(float x, BFloat16*) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t quiet = (bits >> 16) | 0x40u;
  return {static_cast<std::uint16_t>(x != x ? quiet : rounded)};
}

// Denormals: adding 0.5 leaves the result's bits, rounded by the hardware, at the low end of the
// mantissa. Normal numbers: round on the integer, where a carry runs into the exponent as it
// should.
HWY_INLINE Half narrow(float x, Half*) {
  const auto all = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (all >> 16) & 0x8000u, bits = all & 0x7FFFFFFFu;
  const float magnitude = std::bit_cast<float>(bits);
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(magnitude + 0.5f) - 0x3F000000u;
  const std::uint32_t normal = (bits - 0x38000000u + 0xFFFu + ((bits >> 13) & 1u)) >> 13;
  const std::uint32_t finite = bits < 0x38800000u ? denormal : normal;
  const std::uint32_t large = bits >= 0x477FF000u ? 0x7C00u : finite;
  const std::uint32_t nan = 0x7E00u | ((bits >> 13) & 0x3FFu);
  return {static_cast<std::uint16_t>(sign | (bits > 0x7F800000u ? nan : large))};
}

// A narrower type with the last bit set where anything was cut off: rounding the outcome to a type
// that is narrower still gives what rounding the original would.
HWY_INLINE float round_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const auto back = static_cast<double>(nearest);
  const bool outward = x < 0 ? back < x : back > x;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest) - (outward ? 1u : 0u);
  return std::bit_cast<float>(bits | (back != x && x == x ? 1u : 0u));
}
HWY_INLINE double round_to_odd(std::int64_t x) {
  const std::int64_t cut = x & 0x7FF;
  const bool large = x >= (std::int64_t{1} << 53) || x <= -(std::int64_t{1} << 53);
  return static_cast<double>(large ? (x - cut) | (cut != 0 ? 0x800 : 0) : x);
}

template <class To, class From>
HWY_INLINE To to_half(From x) {
  if constexpr (std::is_same_v<From, std::int64_t>) {
    return narrow(round_to_odd(round_to_odd(x)), static_cast<To*>(nullptr));
  } else if constexpr (sizeof(From) < 4 || std::is_same_v<From, float>) {
    return narrow(static_cast<float>(x), static_cast<To*>(nullptr));
  } else {
    return narrow(round_to_odd(static_cast<double>(x)), static_cast<To*>(nullptr));
  }
}

// The upper limit is a power of two, hence exact in every float type, and itself out of range.
template <class To, class From>
HWY_INLINE To to_integer(From x) {
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From above = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
  if (!(x > low)) return x == x ? std::numeric_limits<To>::min() : To{0};
  return x >= above ? std::numeric_limits<To>::max() : static_cast<To>(x);
}

template <class To, class From>
HWY_INLINE To convert_element(From narrow_x) {
  const auto x = widen(narrow_x);
  if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return to_half<To>(x);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<decltype(x)>) {
    return to_integer<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace backplane::cpu
