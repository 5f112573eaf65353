// convert: one loop for each pair of types, and planes through small buffers without gaps.
#include "cpu/convert.h"

#include <algorithm>

#include "cpu/convert-inl.h"
#include "cpu/copy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/convert.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class From, class To>
void convert_row(const void* src, void* dst, std::int64_t count) {
  const auto* HWY_RESTRICT s = static_cast<const From*>(src);
  auto* HWY_RESTRICT d = static_cast<To*>(dst);
  for (std::int64_t i = 0; i < count; ++i) d[i] = convert_element<To>(s[i]);
}

template <class From>
Convert converter_from(Type to) {
  switch (to) {
#define BACKPLANE_ROW(T, name) \
  case Type::name:             \
    return convert_row<From, T>;
    BACKPLANE_CPU_TYPES(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  }
  return nullptr;
}

Convert find_converter(Type from, Type to) {
  switch (from) {
#define BACKPLANE_ROW(T, name) \
  case Type::name:             \
    return converter_from<T>(to);
    BACKPLANE_CPU_TYPES(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  }
  return nullptr;
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(find_converter);

Convert converter(Type from, Type to) {
  return HWY_DYNAMIC_DISPATCH(find_converter)(from, to);
}

namespace {

// Moves `count` elements of `size` bytes between strides that count elements.
void move_elements(std::size_t size, std::int64_t count, const char* src, std::int64_t src_stride,
                   char* dst, std::int64_t dst_stride) {
  const auto typed = [&]<class T>(T) {
    copy(Plane{1, count}, Strided<const T>{reinterpret_cast<const T*>(src), 0, src_stride},
         Strided<T>{reinterpret_cast<T*>(dst), 0, dst_stride});
  };
  switch (size) {
    case 1:
      return typed(std::uint8_t{});
    case 2:
      return typed(std::uint16_t{});
    case 4:
      return typed(std::uint32_t{});
    default:
      return typed(std::uint64_t{});
  }
}

}  // namespace

void convert(Type from, Type to, Plane plane, Strided<const void> src, Strided<void> dst) {
  constexpr std::int64_t block = 512;
  alignas(64) char gathered[block * 8], converted[block * 8];
  const Convert row_of = converter(from, to);
  const auto from_size = static_cast<std::int64_t>(size_of(from));
  const auto to_size = static_cast<std::int64_t>(size_of(to));
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const char* s = static_cast<const char*>(src.data) + row * src.row_stride * from_size;
    char* d = static_cast<char*>(dst.data) + row * dst.row_stride * to_size;
    if (src.stride == 1 && dst.stride == 1) {
      row_of(s, d, plane.count);
      continue;
    }
    for (std::int64_t first = 0; first < plane.count; first += block) {
      const std::int64_t count = std::min(block, plane.count - first);
      move_elements(size_of(from), count, s + first * src.stride * from_size, src.stride, gathered,
                    1);
      row_of(gathered, converted, count);
      move_elements(size_of(to), count, converted, 1, d + first * dst.stride * to_size, dst.stride);
    }
  }
}

}  // namespace backplane::cpu
#endif
