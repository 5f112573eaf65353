// sum along rows and down columns.
#include "cpu/sum.h"

#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sum.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> load_as_double(D, const double* src) {
  return hn::LoadU(D(), src);
}
template <class D>
HWY_INLINE hn::Vec<D> load_as_double(D, const float* src) {
  return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), src));
}

// Four sums side by side hide the latency of an addition.
template <class T>
HWY_INLINE double sum_dense(std::int64_t count, const T* HWY_RESTRICT src) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    sum0 = hn::Add(sum0, load_as_double(d, src + i));
    sum1 = hn::Add(sum1, load_as_double(d, src + i + lanes));
    sum2 = hn::Add(sum2, load_as_double(d, src + i + 2 * lanes));
    sum3 = hn::Add(sum3, load_as_double(d, src + i + 3 * lanes));
  }
  const auto sums = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  double sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < count; ++i) sum += static_cast<double>(src[i]);
  return sum;
}

template <class T>
HWY_INLINE SumOf<T> sum_row_of(std::int64_t count, const T* src, std::int64_t stride) {
  if constexpr (std::is_floating_point_v<T>) {
    if (stride == 1) return sum_dense(count, src);
  }
  SumOf<T> sum = 0;
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<SumOf<T>>(src[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<SumOf<T>>(src[i * stride]);
  }
  return sum;
}

template <class T>
HWY_INLINE void sum_columns_of(std::int64_t rows, std::int64_t count, const T* src,
                               std::int64_t row_stride, std::int64_t stride, SumOf<T>* sums) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* HWY_RESTRICT s = src + row * row_stride;
    SumOf<T>* HWY_RESTRICT to = sums;
    if (stride == 1) {
      for (std::int64_t i = 0; i < count; ++i) to[i] += static_cast<SumOf<T>>(s[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] += static_cast<SumOf<T>>(s[i * stride]);
    }
  }
}

#define BACKPLANE_ROW(T, suffix)                                                            \
  SumOf<T> sum_row_##suffix(std::int64_t count, const T* src, std::int64_t stride) {        \
    return sum_row_of(count, src, stride);                                                  \
  }                                                                                         \
  void sum_columns_##suffix(std::int64_t rows, std::int64_t count, const T* src,            \
                            std::int64_t row_stride, std::int64_t stride, SumOf<T>* sums) { \
    sum_columns_of(rows, count, src, row_stride, stride, sums);                             \
  }
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(T, suffix)                                                                 \
  HWY_EXPORT(sum_row_##suffix);                                                                  \
  HWY_EXPORT(sum_columns_##suffix);                                                              \
  template <>                                                                                    \
  SumOf<T> sum_row(std::int64_t count, const T* src, std::int64_t stride) {                      \
    return HWY_DYNAMIC_DISPATCH(sum_row_##suffix)(count, src, stride);                           \
  }                                                                                              \
  template <>                                                                                    \
  void sum_columns(std::int64_t rows, std::int64_t count, const T* src, std::int64_t row_stride, \
                   std::int64_t stride, SumOf<T>* sums) {                                        \
    HWY_DYNAMIC_DISPATCH(sum_columns_##suffix)(rows, count, src, row_stride, stride, sums);      \
  }
BACKPLANE_CPU_NUMBERS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
