// Bit instructions: shifts, fields, permutes, counts and the three-input logic table.
#pragma once

#include <algorithm>
#include <bit>

#include "device/types.h"

namespace backplane::sim::device {

// PTX clamps shift amounts, C++ leaves them undefined.
template <class T>
inline T shift_left(T a, u32 count) {
  return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<u64>(a) << count);
}
template <class T>
inline T shift_right(T a, u32 count) {
  const u32 last = 8 * sizeof(T) - 1;
  if (std::is_unsigned_v<T> && count > last) return 0;
  return static_cast<T>(a >> std::min(count, last));
}

// shf: the pair (high, low) shifted by `count`, clamped to 32 or wrapped.
inline u32 funnel(u32 low, u32 high, u32 count, bool left, bool wrap) {
  count = wrap ? count & 31 : std::min(count, 32u);
  const u64 both = static_cast<u64>(high) << 32 | low;
  return static_cast<u32>(left ? both << count >> 32 : both >> count);
}

template <class T>
inline T extract_field(T a, u32 position, u32 length) {  // bfe
  position &= 255;
  length &= 255;
  const u32 last = 8 * sizeof(T) - 1;
  using U = std::make_unsigned_t<T>;
  const bool sign = std::is_signed_v<T> && length > 0 &&
                    (static_cast<U>(a) >> std::min(position + length - 1, last) & 1) != 0;
  U result = 0;
  for (u32 i = 0; i <= last; ++i) {
    const bool bit =
        i < length && position + i <= last ? (static_cast<U>(a) >> (position + i) & 1) != 0 : sign;
    result |= static_cast<U>(static_cast<U>(bit) << i);
  }
  return static_cast<T>(result);
}

template <class T>
inline T insert_field(T field, T base, u32 position, u32 length) {  // bfi
  position &= 255;
  length &= 255;
  const u32 width = 8 * sizeof(T);
  if (position >= width || length == 0) return base;
  const u32 kept = std::min(length, width - position);
  const T ones = kept == width ? ~T(0) : static_cast<T>((T(1) << kept) - 1);
  return static_cast<T>((base & ~(ones << position)) | ((field & ones) << position));
}

template <class T>
inline u32 leading_zeros(T a) {
  return static_cast<u32>(std::countl_zero(a));
}
template <class T>
inline u32 ones(T a) {
  return static_cast<u32>(std::popcount(a));
}

template <class T>
inline u32 find_leading(T a, bool as_shift) {  // bfind: the highest bit that is not the sign
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return ~0u;
  const u32 zeros = static_cast<u32>(std::countl_zero(bits));
  return as_shift ? zeros : static_cast<u32>(8 * sizeof(T) - 1 - zeros);
}

template <class T>
inline T reverse_bits(T a) {
  T result = 0;
  for (u32 i = 0; i < 8 * sizeof(T); ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
  return result;
}

// prmt: four bytes chosen from eight; the top bit of a selector repeats the byte's sign.
inline u32 permute(u32 a, u32 b, u32 selectors) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 selector = selectors >> (4 * i) & 15;
    u32 byte = bytes >> (8 * (selector & 7)) & 255;
    if ((selector & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// lop3: bit i of the table is the answer for inputs that spell i, a being the high bit.
inline u32 logic_table(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  if ((table & 1) != 0) result |= ~a & ~b & ~c;
  if ((table & 2) != 0) result |= ~a & ~b & c;
  if ((table & 4) != 0) result |= ~a & b & ~c;
  if ((table & 8) != 0) result |= ~a & b & c;
  if ((table & 16) != 0) result |= a & ~b & ~c;
  if ((table & 32) != 0) result |= a & ~b & c;
  if ((table & 64) != 0) result |= a & b & ~c;
  if ((table & 128) != 0) result |= a & b & c;
  return result;
}

inline u32 bit_mask(u32 position, u32 length) {  // bmsk.clamp
  const u64 ones_run = (u64{1} << std::min(length, 32u)) - 1;
  return position > 31 ? 0 : static_cast<u32>(ones_run << position);
}

// dp4a: four products of bytes added to c. A and B are the byte types.
template <class A, class B>
inline u32 dot_bytes(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 4; ++i) {
    c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> (8 * i))) *
                          static_cast<s32>(static_cast<B>(b >> (8 * i))));
  }
  return c;
}

}  // namespace backplane::sim::device
