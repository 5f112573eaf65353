// Barriers, shuffles, votes and special registers of translated kernels.
#pragma once

#include <bit>
#include <chrono>

#include "device/bits.h"
#include "device/memory.h"

namespace backplane::sim::device {

inline u32 lane(const Thread& thread) {
  return thread.linear % 32;
}

inline u32 barrier(Thread& thread, u32 id, u32 threads, BarrierVote vote, bool value, int line) {
  return thread.block->services->barrier(thread, id, threads, vote, value, line);
}

inline WarpValues exchange(Thread& thread, u32 mask, u32 value, int line) {
  WarpValues values;
  thread.block->services->exchange(thread, mask, value, line, values);
  return values;
}

enum class Shuffle { up, down, butterfly, index };

// PTX shfl: `clamp` packs the segment mask (bits 8 to 12) and the clamp value (bits 0 to 4).
// The source lane keeps its own value when the other lies outside the segment.
inline u32 shuffle(Thread& thread, Shuffle how, u32 value, u32 operand, u32 clamp, u32 mask,
                   bool& in_range, int line) {
  const WarpValues values = exchange(thread, mask, value, line);
  const u32 self = lane(thread);
  const u32 segment = clamp >> 8 & 31;
  const u32 limit = (self & segment) | (clamp & 31 & ~segment);
  u32 source = self;
  operand &= 31;
  switch (how) {
    case Shuffle::up:
      in_range = static_cast<s32>(self - operand) >= static_cast<s32>(limit);
      source = self - operand;
      break;
    case Shuffle::down:
      in_range = self + operand <= limit;
      source = self + operand;
      break;
    case Shuffle::butterfly:
      in_range = (self ^ operand) <= limit;
      source = self ^ operand;
      break;
    case Shuffle::index:
      source = (self & segment) | (operand & ~segment);
      in_range = source <= limit;
      break;
  }
  // A lane outside the mask has undefined data: `value` there is all ones.
  return in_range ? values.value[source & 31] : value;
}

inline u32 ballot(const WarpValues& values) {
  u32 result = 0;
  for (u32 i = 0; i < 32; ++i) {
    if ((values.present >> i & 1) != 0 && values.value[i] != 0) result |= 1u << i;
  }
  return result;
}

inline u32 vote_ballot(Thread& thread, bool value, u32 mask, int line) {
  return ballot(exchange(thread, mask, value, line));
}
inline bool vote_any(Thread& thread, bool value, u32 mask, int line) {
  return ballot(exchange(thread, mask, value, line)) != 0;
}
inline bool vote_all(Thread& thread, bool value, u32 mask, int line) {
  const WarpValues values = exchange(thread, mask, value, line);
  return ballot(values) == values.present;
}
inline bool vote_uniform(Thread& thread, bool value, u32 mask, int line) {
  const WarpValues values = exchange(thread, mask, value, line);
  const u32 result = ballot(values);
  return result == 0 || result == values.present;
}

// match.any: the lanes that hold the same value. 64-bit values meet half by half.
template <class T>
inline u32 match_any(Thread& thread, T value, u32 mask, int line) {
  u32 result = ~0u;
  for (u32 part = 0; part < sizeof(T) / 4; ++part) {
    const u32 word = static_cast<u32>(static_cast<u64>(value) >> (32 * part));
    const WarpValues values = exchange(thread, mask, word, line);
    for (u32 i = 0; i < 32; ++i) {
      const bool same = (values.present >> i & 1) != 0 && values.value[i] == word;
      if (!same) result &= ~(1u << i);
    }
  }
  return result;
}
template <class T>
inline u32 match_all(Thread& thread, T value, u32 mask, bool& all, int line) {
  const u32 same = match_any(thread, value, mask, line);
  const u32 present = exchange(thread, mask, 0, line).present;
  all = same == present;
  return all ? mask : 0;
}

template <class T, class Operation>
inline T reduce(Thread& thread, T value, u32 mask, Operation operation, int line) {
  const WarpValues values = exchange(thread, mask, static_cast<u32>(value), line);
  u32 lanes = values.present;
  T result = static_cast<T>(values.value[std::countr_zero(lanes)]);
  for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
    result = operation(result, static_cast<T>(values.value[std::countr_zero(lanes)]));
  }
  return result;
}

inline u64 nanoseconds() {
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::steady_clock::now().time_since_epoch())
                              .count());
}

}  // namespace backplane::sim::device
