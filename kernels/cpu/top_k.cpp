// top_k: a heap of the best so far, or a sort where all are wanted.
#include "cpu/top_k.h"

#include <algorithm>
#include <numeric>

#include "cpu/types.h"

namespace backplane::cpu {
namespace {

// NaN is what differs from itself; of integers, none does.
template <class T>
bool is_larger(T a, T b) {
  return a > b || (a != a && b == b);
}

template <class Before>
void order_by(std::int64_t count, std::int64_t wanted, std::int64_t* order, Before before) {
  std::iota(order, order + count, std::int64_t{0});
  if (wanted == count) {
    std::sort(order, order + count, before);
  } else {
    std::partial_sort(order, order + wanted, order + count, before);
  }
}

}  // namespace

template <class T>
void top_k(std::int64_t count, std::int64_t wanted, bool largest, const T* src, std::int64_t stride,
           std::int64_t* order) {
  const auto at = [&](std::int64_t i) { return src[i * stride]; };
  if (largest) {
    order_by(count, wanted, order, [&](std::int64_t i, std::int64_t j) {
      return is_larger(at(i), at(j)) || (!is_larger(at(j), at(i)) && i < j);
    });
  } else {
    order_by(count, wanted, order, [&](std::int64_t i, std::int64_t j) {
      return is_larger(at(j), at(i)) || (!is_larger(at(i), at(j)) && i < j);
    });
  }
}

#define BACKPLANE_ROW(T, suffix) \
  template void top_k(std::int64_t, std::int64_t, bool, const T*, std::int64_t, std::int64_t*);
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
