// Where the transformed weight of an output begins, for those who write it and those who read it.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// Packed weights are [outputs][points * points][channels], with a cache line between outputs: the
// kernel reads eight outputs at once, which must not fall into the same sets of a cache.
constexpr std::int64_t winograd_output_step(std::int64_t points, std::int64_t channels) {
  constexpr std::int64_t line = 16;
  return points * points * channels + line;
}

}  // namespace backplane::cpu
