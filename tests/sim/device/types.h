// PTX types for translated kernels. Registers are plain unsigned integers; get and set give the
// bits of one a type for the length of an instruction.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace backplane::sim::device {

using u8 = uint8_t;
using s8 = int8_t;
using u16 = uint16_t;
using s16 = int16_t;
using u32 = uint32_t;
using s32 = int32_t;
using u64 = uint64_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
// Two values in one register; `low` is the less significant half.
template <class Half>
struct Pair {
  Half low;
  Half high;
};
using f16x2 = Pair<f16>;
using bf16x2 = Pair<bf16>;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
template <class T>
inline constexpr bool is_pair = std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_half<T>;
template <class T>
inline constexpr bool is_signed_integer = std::is_integral_v<T>&& std::is_signed_v<T>;

// The low bits of a register as a T. PTX lets an instruction use a wider register than its type.
template <class T, class Register>
inline T get(Register bits) {
  static_assert(sizeof(T) <= sizeof(Register));
  T value;
  std::memcpy(&value, &bits, sizeof value);  // little-endian, as the card is
  return value;
}

// Stores a T: signed integers are sign-extended to a wider register, all else is zero-extended.
template <class T, class Register>
inline void set(Register& target, T value) {
  static_assert(sizeof(T) <= sizeof(Register));
  if constexpr (is_signed_integer<T>) {
    target = static_cast<Register>(static_cast<s64>(value));
  } else {
    Register bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    target = bits;
  }
}

// Predicates are bools of their own.
template <>
inline bool get<bool, bool>(bool value) {
  return value;
}

template <class T>
struct WiderOf;
template <>
struct WiderOf<u16> {
  using type = u32;
};
template <>
struct WiderOf<s16> {
  using type = s32;
};
template <>
struct WiderOf<u32> {
  using type = u64;
};
template <>
struct WiderOf<s32> {
  using type = s64;
};
template <>
struct WiderOf<u64> {
  __extension__ using type = unsigned __int128;
};
template <>
struct WiderOf<s64> {
  __extension__ using type = __int128;
};
template <class T>
using Wider = typename WiderOf<T>::type;

}  // namespace backplane::sim::device
