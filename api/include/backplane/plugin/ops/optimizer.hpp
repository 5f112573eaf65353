// Steps of optimizers, and what clips gradients before one, each over many parameters at once. What
// changes from step to step is in `Scalars`. Steps are skipped while the queue's error record is
// set.
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

// Multi-tensor: inputs are parameters, gradients, second moments, first moments (centered set) and
// momentum buffers (momentum set), `count` each; outputs are all but the gradients, the same
// memory. Tieleman and Hinton 2012, centered: Graves 2013. g += weight_decay * p;
// v = alpha v + (1 - alpha) g^2; a = centered ? alpha a + (1 - alpha) g : 0;
// d = g / (sqrt(v - a^2) + epsilon), where a difference below 0 counts as 0; m = momentum * m + d;
// p -= rate * (momentum set ? m : d). Skipped while the queue's error record is set.
struct RmspropStep {
  std::uint32_t count, centered, momentum;
  struct Scalars {
    float rate, alpha, epsilon, weight_decay, momentum;
  };
};

// Multi-tensor: `count` tensors -> norm[], the square root of the sum of the squares of all their
// elements; 0 of none. Squares and sums are those of the type: one that overflows is infinite.
struct GradientNorm {
  std::uint32_t count;
};

// Multi-tensor: inputs are `count` tensors, then norm[]; outputs are the tensors, the same memory.
// c = max_norm / (norm + 1e-6); where c < 1, or is NaN, each element is multiplied by c. So an
// infinite norm makes 0 of what is finite and NaN of what isn't, and a NaN makes all NaN.
struct ClipByNorm {
  std::uint32_t count;
  struct Scalars {
    float max_norm;
  };
};

// Multi-tensor: `count` tensors -> the same, the same memory, each element lowered to `limit` and
// raised to -limit. NaN stays.
struct ClipByValue {
  std::uint32_t count;
  struct Scalars {
    float limit;
  };
};

// clang-format off
#define BACKPLANE_OPTIMIZER_OPS(row)                            \
  row(SgdStep,      sgd_step,        30, 0, 0, 0, true,  true)  \
  row(AdamStep,     adam_step,       31, 0, 0, 0, true,  true)  \
  row(RmspropStep,  rmsprop_step,   210, 0, 0, 0, true,  true)  \
  row(GradientNorm, gradient_norm,  211, 0, 1, 0, false, true)  \
  row(ClipByNorm,   clip_by_norm,   212, 0, 0, 0, true,  true)  \
  row(ClipByValue,  clip_by_value,  213, 0, 0, 0, true,  true)
// clang-format on

}  // namespace backplane::op
