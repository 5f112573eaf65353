// Losses. dloss is the gradient of what follows with respect to the loss.
#pragma once

#include <cstdint>

namespace backplane::op {

// How the per-element losses become the result.
enum class Reduction : std::uint32_t { mean = 0, sum = 1, none = 2 };

// logits[N,C], labels i64[N] -> loss ([] or, reduction none, [N]), log_probabilities[N,C].
// A label outside [0, C) writes the error record (index: the sample) and counts as loss 0.
struct CrossEntropy {
  Reduction reduction;
};

// dloss, log_probabilities, labels -> dlogits = (exp(log_p) - one_hot) * dloss (/ N for mean).
// A label out of range gives a row of zeros.
struct CrossEntropyBackward {
  Reduction reduction;
};

// x, target -> loss ([] or, reduction none, the dims of x) of (x - target)^2.
struct Mse {
  Reduction reduction;
};

// dloss, x, target -> dx = 2 * (x - target) * dloss (/ count for mean).
struct MseBackward {
  Reduction reduction;
};

// clang-format off
#define BACKPLANE_LOSS_OPS(row)                                                  \
  row(CrossEntropy,         cross_entropy,           22, 2, 2, 0, false, false)  \
  row(CrossEntropyBackward, cross_entropy_backward,  23, 3, 1, 0, false, false)  \
  row(Mse,                  mse,                     24, 2, 1, 0, false, false)  \
  row(MseBackward,          mse_backward,            25, 3, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
