// rmsprop_step of a run of parameters (Tieleman and Hinton 2012; centered: Graves 2013).
#pragma once

#include <cstdint>

namespace backplane::cpu {

struct Rmsprop {
  float rate, alpha, epsilon, weight_decay, momentum;
};

// v = alpha v + (1 - alpha) g^2; a = alpha a + (1 - alpha) g;
// m = momentum m + g / (sqrt(max(v - a^2, 0)) + epsilon); p -= rate * m.
// first_moment and momentum may be null: then a and the m before are 0.
void rmsprop_step(const Rmsprop& rmsprop, std::int64_t count, float* parameter,
                  const float* gradient, float* second_moment, float* first_moment,
                  float* momentum);

}  // namespace backplane::cpu
