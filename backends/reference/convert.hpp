// From an element in memory to the type that loops compute in, and back, by the rules of op::Copy.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "half.hpp"

namespace backplane::reference {

template <class Element>
concept Small = std::same_as<Element, Float16> || std::same_as<Element, BFloat16>;

// Value is double for floating tensors; int64, or uint64 where sums shall wrap, for integer ones.
template <class Value, class Element>
Value read_as(Element element) {
  if constexpr (Small<Element>) {
    return static_cast<Value>(element.to_double());
  } else {
    return static_cast<Value>(element);
  }
}

template <std::integral Element>
Element truncate_saturating(double value) {
  using Limits = std::numeric_limits<Element>;
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Element>(value);
}

// A double that rounds to a 16-bit type as `value` itself would: beyond 2^53 the bits that a double
// has no room for are kept as one sticky bit (rounding to odd).
inline double to_sticky_double(std::int64_t value) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (-exact <= value && value <= exact) return static_cast<double>(value);
  const std::int64_t sticky = value >> 10 | ((value & 1023) != 0 ? 1 : 0);
  return static_cast<double>(sticky) * 1024.0;
}

template <class Element>
Element write_as(double value) {
  if constexpr (Small<Element>) {
    return Element::from(value);
  } else if constexpr (std::floating_point<Element>) {
    return static_cast<Element>(value);
  } else {
    return truncate_saturating<Element>(value);
  }
}

template <class Element>
Element write_as(std::int64_t value) {
  if constexpr (Small<Element>) {
    return Element::from(to_sticky_double(value));
  } else {
    return static_cast<Element>(value);
  }
}

template <class Element>
Element write_as(std::uint64_t value) {
  return write_as<Element>(static_cast<std::int64_t>(value));
}

}  // namespace backplane::reference
