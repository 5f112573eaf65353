// prod, max, min along rows and down columns.
#include "cpu/fold.h"

#include <algorithm>
#include <array>

#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fold.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Four vectors of results side by side hide the latency of a product; the compiler makes vectors of
// so long an inner loop, and none of a shorter one.
template <class Fold, class T>
HWY_INLINE typename Fold::template Of<T> fold_row_of(std::int64_t count, const T* src,
                                                     std::int64_t stride) {
  using Value = typename Fold::template Of<T>;
  constexpr std::int64_t lanes = 256 / sizeof(Value);
  std::array<Value, lanes> results;
  results.fill(Fold::template start<T>);
  std::int64_t i = 0;
  if (stride == 1) {
    for (; i + lanes <= count; i += lanes) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        results[lane] = Fold::join(results[lane], static_cast<Value>(src[i + lane]));
      }
    }
  }
  Value result = results[0];
  for (std::int64_t lane = 1; lane < lanes; ++lane) {
    result = Fold::join(result, results[lane]);
  }
  for (; i < count; ++i) result = Fold::join(result, static_cast<Value>(src[i * stride]));
  return result;
}

template <class Fold, class T>
HWY_INLINE void fold_columns_of(std::int64_t rows, std::int64_t count, const T* src,
                                std::int64_t row_stride, std::int64_t stride,
                                typename Fold::template Of<T>* HWY_RESTRICT results) {
  using Value = typename Fold::template Of<T>;
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* HWY_RESTRICT s = src + row * row_stride;
    if (stride == 1) {
      for (std::int64_t i = 0; i < count; ++i) {
        results[i] = Fold::join(results[i], static_cast<Value>(s[i]));
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        results[i] = Fold::join(results[i], static_cast<Value>(s[i * stride]));
      }
    }
  }
}

#define BACKPLANE_FOLD(Fold, T, suffix)                                                      \
  Fold::Of<T> row_##Fold##_##suffix(std::int64_t count, const T* src, std::int64_t stride) { \
    return fold_row_of<Fold>(count, src, stride);                                            \
  }                                                                                          \
  void columns_##Fold##_##suffix(std::int64_t rows, std::int64_t count, const T* src,        \
                                 std::int64_t row_stride, std::int64_t stride,               \
                                 Fold::Of<T>* results) {                                     \
    fold_columns_of<Fold>(rows, count, src, row_stride, stride, results);                    \
  }
#define BACKPLANE_NUMBERS(Fold)                                                       \
  BACKPLANE_FOLD(Fold, float, f32)                                                    \
  BACKPLANE_FOLD(Fold, double, f64) BACKPLANE_FOLD(Fold, std::int8_t, i8)             \
      BACKPLANE_FOLD(Fold, std::uint8_t, u8) BACKPLANE_FOLD(Fold, std::uint16_t, u16) \
          BACKPLANE_FOLD(Fold, std::int32_t, i32) BACKPLANE_FOLD(Fold, std::int64_t, i64)
BACKPLANE_CPU_FOLDS(BACKPLANE_NUMBERS)
#undef BACKPLANE_FOLD

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_FOLD(Fold, T, suffix)                                                         \
  HWY_EXPORT(row_##Fold##_##suffix);                                                            \
  HWY_EXPORT(columns_##Fold##_##suffix);                                                        \
  template <>                                                                                   \
  Fold::Of<T> fold_row<Fold>(std::int64_t count, const T* src, std::int64_t stride) {           \
    return HWY_DYNAMIC_DISPATCH(row_##Fold##_##suffix)(count, src, stride);                     \
  }                                                                                             \
  template <>                                                                                   \
  void fold_columns<Fold>(std::int64_t rows, std::int64_t count, const T* src,                  \
                          std::int64_t row_stride, std::int64_t stride, Fold::Of<T>* results) { \
    HWY_DYNAMIC_DISPATCH(columns_##Fold##_##suffix)                                             \
    (rows, count, src, row_stride, stride, results);                                            \
  }
BACKPLANE_CPU_FOLDS(BACKPLANE_NUMBERS)

}  // namespace backplane::cpu
#endif
#undef BACKPLANE_FOLD
#undef BACKPLANE_NUMBERS
