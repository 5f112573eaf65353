// Steps of optimizers, each over many parameters at once. What changes from step to step is in
// `Scalars`. A step is skipped while the queue's error record is set.
#pragma once

#include <cstdint>

namespace backplane::op {

// Multi-tensor: inputs are `count` parameters, then as many gradients, then (momentum set) as many
// momentum buffers; outputs are the parameters, then the momentum buffers, the same memory as the
// inputs. g += weight_decay * p; m = momentum * m + (1 - dampening) * g (m = g when `first`);
// p -= rate * (nesterov ? g + momentum * m : m). Skipped while the queue's error record is set.
struct SgdStep {
  std::uint32_t count, momentum, nesterov;
  struct Scalars {
    float rate, momentum, dampening, weight_decay;
    std::uint32_t first;
  };
};

// Multi-tensor: inputs are parameters, gradients, first moments, second moments (`count` each);
// outputs are parameters, first and second moments, the same memory. Kingma and Ba 2015, with
// correction1 = 1 - beta1^t and correction2 = 1 - beta2^t: m = beta1 m + (1 - beta1) g;
// v = beta2 v + (1 - beta2) g^2; p -= rate / correction1 * m / (sqrt(v / correction2) + epsilon).
// weight_decay adds weight_decay * p to g, or, decoupled (Loshchilov and Hutter 2019), first
// scales p by 1 - rate * weight_decay. Skipped while the queue's error record is set.
struct AdamStep {
  std::uint32_t count, decoupled;
  struct Scalars {
    float rate, beta1, beta2, epsilon, weight_decay, correction1, correction2;
  };
};

// clang-format off
#define BACKPLANE_OPTIMIZER_OPS(row)                   \
  row(SgdStep,  sgd_step,   30, 0, 0, 0, true,  true)  \
  row(AdamStep, adam_step,  31, 0, 0, 0, true,  true)
// clang-format on

}  // namespace backplane::op
