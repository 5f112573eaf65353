// scale_shift of a tensor, by a scale and a shift that repeat or don't.
#include "cpu/scale_shift.h"

#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/scale_shift.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// `by` is the stride of scale and shift: a constant 0 or 1 where the compiler should know.
template <class T, class By>
HWY_INLINE void scale_shift_dense(Plane plane, Strided<const T> src, Strided<const T> scale,
                                  Strided<const T> shift, Strided<T> dst, By by) {
  write_rows(plane, dst, dst.data == src.data,
             [&](std::int64_t row, std::int64_t first, std::int64_t count, T* d) HWY_ATTR {
               const T* s = src.data + row * src.row_stride + first;
               const T* a = scale.data + row * scale.row_stride + first * by;
               const T* b = shift.data + row * shift.row_stride + first * by;
#pragma GCC ivdep
               for (std::int64_t i = 0; i < count; ++i) d[i] = s[i] * a[i * by] + b[i * by];
             });
}

template <class T>
HWY_INLINE void scale_shift_of(Plane plane, Strided<const T> src, Strided<const T> scale,
                               Strided<const T> shift, Strided<T> dst) {
  const bool dense = src.stride == 1 && dst.stride == 1;
  if (dense && scale.stride == 1 && shift.stride == 1) {
    scale_shift_dense(plane, src, scale, shift, dst, Stride<1>());
  } else if (dense && scale.stride == 0 && shift.stride == 0) {
    scale_shift_dense(plane, src, scale, shift, dst, Stride<0>());
  } else {
    for (std::int64_t row = 0; row < plane.rows; ++row) {
      const T* s = src.data + row * src.row_stride;
      const T* a = scale.data + row * scale.row_stride;
      const T* b = shift.data + row * shift.row_stride;
      T* d = dst.data + row * dst.row_stride;
      for (std::int64_t i = 0; i < plane.count; ++i) {
        d[i * dst.stride] = s[i * src.stride] * a[i * scale.stride] + b[i * shift.stride];
      }
    }
  }
}

#define BACKPLANE_ROW(T, suffix)                                                       \
  void scale_shift_##suffix(Plane plane, Strided<const T> src, Strided<const T> scale, \
                            Strided<const T> shift, Strided<T> dst) {                  \
    scale_shift_of(plane, src, scale, shift, dst);                                     \
  }
BACKPLANE_CPU_FLOATS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(T, suffix)                                               \
  HWY_EXPORT(scale_shift_##suffix);                                            \
  template <>                                                                  \
  void scale_shift(Plane plane, Strided<const T> src, Strided<const T> scale,  \
                   Strided<const T> shift, Strided<T> dst) {                   \
    HWY_DYNAMIC_DISPATCH(scale_shift_##suffix)(plane, src, scale, shift, dst); \
  }
BACKPLANE_CPU_FLOATS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
