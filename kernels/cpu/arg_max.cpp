// arg_max and arg_min: new extrema are rare, so that a predicted branch beats vectors that carry
// positions.
#include "cpu/arg_max.h"

#include <functional>

#include "cpu/types.h"

namespace backplane::cpu {
namespace {

// `no_better` is false of a NaN, which then wins.
template <class NoBetter, class T>
std::int64_t position_of(NoBetter no_better, std::int64_t count, const T* src,
                         std::int64_t stride) {
  T best = src[0];
  std::int64_t position = 0;
  if (best != best) return position;
  for (std::int64_t i = 1; i < count; ++i) {
    const T x = src[i * stride];
    if (no_better(x, best)) continue;
    best = x;
    position = i;
    if (best != best) break;
  }
  return position;
}

}  // namespace

template <class T>
std::int64_t arg_max(std::int64_t count, const T* src, std::int64_t stride) {
  return position_of(std::less_equal<>(), count, src, stride);
}

template <class T>
std::int64_t arg_min(std::int64_t count, const T* src, std::int64_t stride) {
  return position_of(std::greater_equal<>(), count, src, stride);
}

#define BACKPLANE_ROW(T, suffix)                                       \
  template std::int64_t arg_max(std::int64_t, const T*, std::int64_t); \
  template std::int64_t arg_min(std::int64_t, const T*, std::int64_t);
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
