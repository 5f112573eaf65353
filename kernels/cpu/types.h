// The element types that kernels are made for, as rows, so that no kernel forgets one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace backplane::cpu {

// Storage formats of 16 bits; arithmetic happens in float.
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

//  type, its short name, which ends the names of the functions made for it
// clang-format off
#define BACKPLANE_CPU_FLOATS(row) row(float, f32) row(double, f64)
#define BACKPLANE_CPU_HALVES(row) row(Half, f16) row(BFloat16, bf16)
#define BACKPLANE_CPU_INTEGERS(row) \
  row(std::int8_t, i8) row(std::uint8_t, u8) row(std::uint16_t, u16) \
  row(std::int32_t, i32) row(std::int64_t, i64)
// clang-format on
#define BACKPLANE_CPU_NUMBERS(row) BACKPLANE_CPU_FLOATS(row) BACKPLANE_CPU_INTEGERS(row)
#define BACKPLANE_CPU_TYPES(row) BACKPLANE_CPU_NUMBERS(row) BACKPLANE_CPU_HALVES(row)

// For code that meets a type at run time.
#define BACKPLANE_ROW(T, name) name,
enum class Type { BACKPLANE_CPU_TYPES(BACKPLANE_ROW) };
#undef BACKPLANE_ROW

constexpr std::size_t size_of(Type type) {
  switch (type) {
#define BACKPLANE_ROW(T, name) \
  case Type::name:             \
    return sizeof(T);
    BACKPLANE_CPU_TYPES(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  }
  return 0;
}

}  // namespace backplane::cpu
