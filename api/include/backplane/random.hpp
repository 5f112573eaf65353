// The random numbers of the program: the same on every device, for every way to cut a batch.
#pragma once

#include <cstdint>

namespace backplane {

// Seeds initial weights, dropout and uniform/normal. The first seed is 0.
void manual_seed(std::uint64_t seed);

// Opens training step `step`. Each random call within it is a site of its own, numbered in call
// order; sample i of a batch draws as global sample first_sample + i. Micro-batches of one step and
// shares of several devices open the same step with their own first_sample, and draw what the
// undivided batch would. Without steps, each call is simply the next site.
void begin_step(std::uint32_t step, std::uint32_t first_sample = 0);

// Where the generator stands, to be stored with a checkpoint and put back.
struct GeneratorState {
  std::uint64_t seed = 0;
  std::uint32_t site = 0, step = 0, first_sample = 0;
};
[[nodiscard]] GeneratorState generator_state();
void set_generator_state(const GeneratorState& state);

}  // namespace backplane
