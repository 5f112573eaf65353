// Sizes that the allocator deals in.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace backplane::detail {

inline constexpr std::uint64_t least_block = 512;            // keeps every block aligned to it
inline constexpr std::uint64_t largest_small = 1ull << 20;   // above: segments that split
inline constexpr std::uint64_t small_segment = 2ull << 20;   // one huge page
inline constexpr std::uint64_t large_segment = 32ull << 20;  // serves several large blocks
inline constexpr std::uint64_t least_split = 1ull << 20;     // a smaller rest stays with its block

// Small sizes: four steps to each doubling from 512 bytes on, so at most a fifth is waste.
constexpr std::uint64_t size_of_class(std::size_t index) {
  const std::uint64_t base = least_block << (index / 4);
  return base + base / 4 * (index % 4);
}

constexpr std::size_t class_of(std::uint64_t bytes) {
  if (bytes <= least_block) return 0;
  const std::size_t octave = std::bit_width((bytes - 1) / least_block) - 1;
  std::size_t index = octave * 4;
  while (size_of_class(index) < bytes) ++index;
  return index;
}
static_assert(size_of_class(class_of(largest_small)) == largest_small);

constexpr std::uint64_t round_large(std::uint64_t bytes) {
  constexpr std::uint64_t step = 64ull << 10;
  return (bytes + step - 1) / step * step;
}

constexpr std::uint64_t round_segment(std::uint64_t bytes) {
  if (bytes <= large_segment / 2) return large_segment;
  return (bytes + small_segment - 1) / small_segment * small_segment;
}

}  // namespace backplane::detail
