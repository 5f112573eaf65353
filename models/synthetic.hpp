// Random numbers for synthetic data: the same on every machine.
#pragma once

#include <cstdint>
#include <random>

namespace backplane::models {

// The engine's sequence is the standard's, its distributions are not; so numbers are made from the
// engine's words here.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [-limit, limit), in steps of limit * 2^-23.
  float within(float limit) { return limit * (static_cast<float>(engine_() >> 40) * 0x1p-23f - 1); }
  // Uniform in [0, limit); limit below 2^32.
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>((engine_() >> 32) * static_cast<std::uint64_t>(limit) >> 32);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace backplane::models
