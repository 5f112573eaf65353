// sgd_step of a run of parameters.
#pragma once

#include <cstdint>

namespace backplane::cpu {

struct Sgd {
  float rate, momentum, dampening, weight_decay;
  bool has_momentum, nesterov, first;
};

// g = gradient + weight_decay * p; with momentum, m = momentum * m + (1 - dampening) * g (m = g
// when first); p -= rate * (nesterov ? g + momentum * m : m).
void sgd_step(const Sgd& sgd, std::int64_t count, float* parameter, const float* gradient,
              float* momentum);

}  // namespace backplane::cpu
