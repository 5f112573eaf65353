// Floating values as integers, by the rule of op::Copy.
#pragma once

#include <concepts>
#include <limits>

namespace backplane::detail {

// Truncates towards zero and saturates; NaN gives 0. Other targets take the value as it is.
template <class T>
[[nodiscard]] constexpr T saturate(double value) noexcept {
  if constexpr (std::integral<T>) {
    // 2^63 is a double, the largest std::int64_t isn't; so compare with what lies just above.
    constexpr double above = 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
    if (value != value) return 0;
    if (value >= above) return std::numeric_limits<T>::max();
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
  }
  return static_cast<T>(value);
}

}  // namespace backplane::detail
