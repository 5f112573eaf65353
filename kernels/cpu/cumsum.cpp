// cumsum: each sum waits for the one before, so that there is nothing for vectors to do.
#include "cpu/cumsum.h"

#include "cpu/sum.h"
#include "cpu/types.h"

namespace backplane::cpu {

template <class T>
void cumsum(std::int64_t count, const T* src, std::int64_t src_stride, T* dst,
            std::int64_t dst_stride) {
  SumOf<T> sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<SumOf<T>>(src[i * src_stride]);
    dst[i * dst_stride] = static_cast<T>(sum);
  }
}

#define BACKPLANE_ROW(T, suffix) \
  template void cumsum(std::int64_t, const T*, std::int64_t, T*, std::int64_t);
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
