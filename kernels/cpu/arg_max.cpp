// arg_max: new maxima are rare, so that a predicted branch beats vectors that carry positions.
#include "cpu/arg_max.h"

#include "cpu/types.h"

namespace backplane::cpu {

template <class T>
std::int64_t arg_max(std::int64_t count, const T* src, std::int64_t stride) {
  T best = src[0];
  std::int64_t position = 0;
  if (best != best) return position;
  for (std::int64_t i = 1; i < count; ++i) {
    const T x = src[i * stride];
    if (x <= best) continue;
    best = x;
    position = i;
    if (best != best) break;
  }
  return position;
}

#define BACKPLANE_ROW(T, suffix) \
  template std::int64_t arg_max(std::int64_t, const T*, std::int64_t);
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
