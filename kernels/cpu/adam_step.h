// adam_step of a run of parameters (Kingma and Ba 2015; decoupled: Loshchilov and Hutter 2019).
#pragma once

#include <cstdint>

namespace backplane::cpu {

struct Adam {
  float rate, beta1, beta2, epsilon, weight_decay, correction1, correction2;
  bool decoupled;
};

// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
// p -= rate / correction1 * m / (sqrt(v / correction2) + epsilon).
void adam_step(const Adam& adam, std::int64_t count, float* parameter, const float* gradient,
               float* first_moment, float* second_moment);

}  // namespace backplane::cpu
