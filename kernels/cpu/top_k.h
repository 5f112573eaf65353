// top_k: the largest or smallest elements of a row, in order.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// Writes their positions to order[0 .. wanted); `order` has room for `count`. NaN counts as the
// largest; among equals the first comes first.
template <class T>
void top_k(std::int64_t count, std::int64_t wanted, bool largest, const T* src, std::int64_t stride,
           std::int64_t* order);

}  // namespace backplane::cpu
