// Losses. dloss is the gradient of what follows with respect to the loss. A NaN or an infinity
// gives what IEEE 754 makes of the formula, where nothing else is said; an empty mean is NaN.
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

// `ignores` is 1 where a label of `ignore_index`, in range or not, means that there is nothing to
// learn: it gives loss 0, weight 0 and gradients +0. label_smoothing is in [0, 1].
struct NllParams {
  Reduction reduction;
  std::uint32_t ignores;
  std::int32_t ignore_index;
  float label_smoothing;
};

// log_p[N,C,...], labels i64[N,...], weight[C] (optional, else ones) -> loss ([] or, reduction
// none, the dims of labels), total_weight[]. With s = label_smoothing, a label y costs
// -(1 - s) * weight[y] * log_p[y] - s / C * sum of weight[c] * log_p[c] over all c (Szegedy et al.
// 2016); that sum is absent where s is 0. total_weight is the sum of weight[y]; a mean is divided
// by it, so that it is NaN where all labels are ignored. A label outside [0, C) writes the error
// record (index: its row-major position) and counts as one that is ignored.
struct Nll : NllParams {};

// dloss, labels, total_weight, weight (optional) -> dlog_p[N,C,...], which is
// -((1 - s) * weight[y] * one_hot + s / C * weight[c]) * dloss (/ total_weight for mean); +0 beside
// the label where s is 0.
struct NllBackward : NllParams {};

// x, target -> loss ([] or, reduction none, the dims of x) of (x - target)^2.
struct Mse {
  Reduction reduction;
};

// dloss, x, target -> dx = 2 * (x - target) * dloss (/ count for mean).
struct MseBackward {
  Reduction reduction;
};

// As Mse, of |x - target|.
struct L1 {
  Reduction reduction;
};

// As MseBackward: dx = sign(x - target) * dloss, where the sign of 0 is 0 and that of NaN is NaN.
struct L1Backward {
  Reduction reduction;
};

// delta is above 0.
struct HuberParams {
  Reduction reduction;
  float delta;
};

// As Mse, with d = |x - target|, of d^2 / 2 where d <= delta, else of delta * (d - delta / 2)
// (Huber 1964).
struct Huber : HuberParams {};

// As MseBackward: dx = (x - target, no further from 0 than delta) * dloss.
struct HuberBackward : HuberParams {};

// x, target -> loss, as Mse, of max(x, 0) - x * target + ln(1 + e^-|x|), which is
// -target * ln(p) - (1 - target) * ln(1 - p) for p = 1 / (1 + e^-x).
struct BceWithLogits {
  Reduction reduction;
};

// As MseBackward: dx = (p - target) * dloss.
struct BceWithLogitsBackward {
  Reduction reduction;
};

struct KlDivParams {
  Reduction reduction;
  std::uint32_t log_target;  // 1: target is a logarithm too
};

// x (log-probabilities), target -> loss, as Mse, of target * (ln(target) - x), where ln(0) counts
// as 0; with log_target of e^target * (target - x).
struct KlDiv : KlDivParams {};

// As MseBackward: dx = -target * dloss, or -e^target * dloss.
struct KlDivBackward : KlDivParams {};

// clang-format off
#define BACKPLANE_LOSS_OPS(row)                                                      \
  row(CrossEntropy,          cross_entropy,              22, 2, 2, 0, false, false)  \
  row(CrossEntropyBackward,  cross_entropy_backward,     23, 3, 1, 0, false, false)  \
  row(Mse,                   mse,                        24, 2, 1, 0, false, false)  \
  row(MseBackward,           mse_backward,               25, 3, 1, 0, false, false)  \
  row(Nll,                   nll,                       200, 3, 2, 0, false, false)  \
  row(NllBackward,           nll_backward,              201, 4, 1, 0, false, false)  \
  row(L1,                    l1,                        202, 2, 1, 0, false, false)  \
  row(L1Backward,            l1_backward,               203, 3, 1, 0, false, false)  \
  row(Huber,                 huber,                     204, 2, 1, 0, false, false)  \
  row(HuberBackward,         huber_backward,            205, 3, 1, 0, false, false)  \
  row(BceWithLogits,         bce_with_logits,           206, 2, 1, 0, false, false)  \
  row(BceWithLogitsBackward, bce_with_logits_backward,  207, 3, 1, 0, false, false)  \
  row(KlDiv,                 kl_div,                    208, 2, 1, 0, false, false)  \
  row(KlDivBackward,         kl_div_backward,           209, 3, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
