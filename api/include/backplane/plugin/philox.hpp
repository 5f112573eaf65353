// The random numbers of every device: Philox4x32-10, the same bits everywhere.
//
// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The key is
// the seed; the counter says which draw it is, never where a sample happens to lie in a batch, so
// micro-batches, tiles and several devices draw what one device would.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "backplane/plugin/ops.hpp"

namespace backplane::philox {

using Words = std::array<std::uint32_t, 4>;

constexpr Words rounds(Words counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// The four words that elements 4 * block .. 4 * block + 3 of a sample share. `sample` counts from
// the first one of the call, to which the scalars add the global index.
constexpr Words block(const op::PhiloxScalars& s, std::uint64_t block, std::uint32_t sample) {
  return rounds({static_cast<std::uint32_t>(block),
                 s.first_sample + sample,
                 s.step,
                 s.site + (static_cast<std::uint32_t>(block >> 32) << 24)},
                s.seed_low, s.seed_high);
}

constexpr std::uint32_t word(const op::PhiloxScalars& s, std::uint64_t element,
                             std::uint32_t sample) {
  return block(s, element / 4, sample)[element % 4];
}

// [0, 1) in steps of 2^-24; exact in float.
constexpr float uniform(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

// Box and Muller 1958 from two words, computed in double: within 1 ulp of f32 on every device.
inline float normal(std::uint32_t first, std::uint32_t second) {
  const double u = (first + 1.0) * 0x1p-32, v = second * 0x1p-32;
  return static_cast<float>(std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v));
}

// Normal element i takes words (0,1) or (2,3) of block i / 2.
inline float normal_at(const op::PhiloxScalars& s, std::uint64_t element, std::uint32_t sample) {
  const Words w = block(s, element / 2, sample);
  return element % 2 == 0 ? normal(w[0], w[1]) : normal(w[2], w[3]);
}

}  // namespace backplane::philox
