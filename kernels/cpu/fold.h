// prod, max, min along rows and down columns, on from what was found before.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace backplane::cpu {

// In double, as sums are, or modulo 2^64.
struct Prod {
  template <class T>
  using Of = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  template <class T>
  static constexpr Of<T> start = 1;
  template <class Value>
  static constexpr Value join(Value a, Value b) {
    return a * b;
  }
};

// `start` loses against every element. A NaN wins, and stays.
struct Max {
  template <class T>
  using Of = T;
  template <class T>
  static constexpr T start = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                         : std::numeric_limits<T>::lowest();
  template <class Value>
  static constexpr Value join(Value a, Value b) {
    return a >= b || a != a ? a : b;
  }
};
struct Min {
  template <class T>
  using Of = T;
  template <class T>
  static constexpr T start = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                         : std::numeric_limits<T>::max();
  template <class Value>
  static constexpr Value join(Value a, Value b) {
    return a <= b || a != a ? a : b;
  }
};

#define BACKPLANE_CPU_FOLDS(row) row(Prod) row(Max) row(Min)

// Of `count` elements, `stride` apart, in an order that depends on nothing but the count. Every
// type of BACKPLANE_CPU_NUMBERS, as below.
template <class Fold, class T>
typename Fold::template Of<T> fold_row(std::int64_t count, const T* src, std::int64_t stride);

// results[i] takes in src[row * row_stride + i * stride] for every row.
template <class Fold, class T>
void fold_columns(std::int64_t rows, std::int64_t count, const T* src, std::int64_t row_stride,
                  std::int64_t stride, typename Fold::template Of<T>* results);

}  // namespace backplane::cpu
