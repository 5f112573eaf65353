// Comparisons, logic, and the choice between two operands, for each type.
#include "cpu/comparison.h"

#include "cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/comparison.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class T>
HWY_INLINE bool holds(Equal, T a, T b) {
  return a == b;
}
template <class T>
HWY_INLINE bool holds(NotEqual, T a, T b) {
  return a != b;
}
template <class T>
HWY_INLINE bool holds(Less, T a, T b) {
  return a < b;
}
template <class T>
HWY_INLINE bool holds(LessEqual, T a, T b) {
  return a <= b;
}
HWY_INLINE bool holds(LogicalAnd, std::uint8_t a, std::uint8_t b) {
  return a != 0 && b != 0;
}
HWY_INLINE bool holds(LogicalOr, std::uint8_t a, std::uint8_t b) {
  return a != 0 || b != 0;
}
HWY_INLINE bool holds(LogicalXor, std::uint8_t a, std::uint8_t b) {
  return (a != 0) != (b != 0);
}

template <class Relation>
struct Holds {
  template <class T>
  HWY_INLINE std::uint8_t operator()(T a, T b) const {
    return holds(Relation(), a, b) ? 1 : 0;
  }
};

template <class T>
HWY_INLINE void choose_of(Plane plane, Strided<const std::uint8_t> condition, Strided<const T> a,
                          Strided<const T> b, Strided<T> dst) {
  const bool dense = condition.stride == 1 && a.stride == 1 && b.stride == 1 && dst.stride == 1;
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const std::uint8_t* c = condition.data + row * condition.row_stride;
    const T *pa = a.data + row * a.row_stride, *pb = b.data + row * b.row_stride;
    T* d = dst.data + row * dst.row_stride;
    if (dense) {
#pragma GCC ivdep
      for (std::int64_t i = 0; i < plane.count; ++i) d[i] = c[i] != 0 ? pa[i] : pb[i];
    } else {
      for (std::int64_t i = 0; i < plane.count; ++i) {
        d[i * dst.stride] = c[i * condition.stride] != 0 ? pa[i * a.stride] : pb[i * b.stride];
      }
    }
  }
}

#define BACKPLANE_RELATION(Relation, T, suffix)                                           \
  void compare_##Relation##_##suffix(Plane plane, Strided<const T> a, Strided<const T> b, \
                                     Strided<std::uint8_t> dst) {                         \
    map(plane, Holds<Relation>(), dst, a, b);                                             \
  }
#define BACKPLANE_LOGIC(Relation) BACKPLANE_RELATION(Relation, std::uint8_t, u8)
#define BACKPLANE_COMPARISON(Relation)                                                    \
  BACKPLANE_RELATION(Relation, float, f32)                                                \
  BACKPLANE_RELATION(Relation, double, f64) BACKPLANE_RELATION(Relation, std::int8_t, i8) \
      BACKPLANE_RELATION(Relation, std::uint8_t, u8)                                      \
          BACKPLANE_RELATION(Relation, std::uint16_t, u16)                                \
              BACKPLANE_RELATION(Relation, std::int32_t, i32)                             \
                  BACKPLANE_RELATION(Relation, std::int64_t, i64)
#define BACKPLANE_CHOICES(row) \
  row(std::uint8_t, 8) row(std::uint16_t, 16) row(std::uint32_t, 32) row(std::uint64_t, 64)
BACKPLANE_CPU_COMPARISONS(BACKPLANE_COMPARISON)
BACKPLANE_CPU_LOGIC(BACKPLANE_LOGIC)
#undef BACKPLANE_RELATION
#define BACKPLANE_ROW(T, bits)                                                               \
  void choose_##bits(Plane plane, Strided<const std::uint8_t> condition, Strided<const T> a, \
                     Strided<const T> b, Strided<T> dst) {                                   \
    choose_of(plane, condition, a, b, dst);                                                  \
  }
BACKPLANE_CHOICES(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_RELATION(Relation, T, suffix)                                      \
  HWY_EXPORT(compare_##Relation##_##suffix);                                         \
  template <>                                                                        \
  void compare(const Relation&, Plane plane, Strided<const T> a, Strided<const T> b, \
               Strided<std::uint8_t> dst) {                                          \
    HWY_DYNAMIC_DISPATCH(compare_##Relation##_##suffix)(plane, a, b, dst);           \
  }
BACKPLANE_CPU_COMPARISONS(BACKPLANE_COMPARISON)
BACKPLANE_CPU_LOGIC(BACKPLANE_LOGIC)
#define BACKPLANE_ROW(T, bits)                                                        \
  HWY_EXPORT(choose_##bits);                                                          \
  template <>                                                                         \
  void choose(Plane plane, Strided<const std::uint8_t> condition, Strided<const T> a, \
              Strided<const T> b, Strided<T> dst) {                                   \
    HWY_DYNAMIC_DISPATCH(choose_##bits)(plane, condition, a, b, dst);                 \
  }
BACKPLANE_CHOICES(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
#undef BACKPLANE_RELATION
#undef BACKPLANE_LOGIC
#undef BACKPLANE_COMPARISON
#undef BACKPLANE_CHOICES
