// sum: floats are summed in double, in an order that depends on nothing but the count; integers
// modulo 2^64.
#pragma once

#include <cstdint>
#include <type_traits>

namespace backplane::cpu {

template <class T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

// Of `count` elements, `stride` apart. Every type of BACKPLANE_CPU_NUMBERS, as below.
template <class T>
SumOf<T> sum_row(std::int64_t count, const T* src, std::int64_t stride);

// sums[i] += src[row * row_stride + i * stride] for every row.
template <class T>
void sum_columns(std::int64_t rows, std::int64_t count, const T* src, std::int64_t row_stride,
                 std::int64_t stride, SumOf<T>* sums);

}  // namespace backplane::cpu
