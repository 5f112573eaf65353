// Losses.
//
// With Reduction::none a loss has the shape of its labels or of its input, else it is a scalar; a
// mean over nothing is NaN.
#pragma once

#include <cstdint>
#include <optional>

#include "backplane/plugin/ops/loss.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

using op::Reduction;

struct NllOptions {
  Reduction reduction = Reduction::mean;
  // A label that means "nothing to learn here", in range or not; such samples aren't counted.
  std::optional<std::int32_t> ignore_index = {};
  Tensor weight = {};  // [C], of each class; a mean is divided by the weights of the labels it saw
};

struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;
  std::optional<std::int32_t> ignore_index = {};
  Tensor weight = {};
  // How much of each label is spread over all classes alike, in [0, 1] (Szegedy et al. 2016).
  float label_smoothing = 0;
};

// log_p[N,C,...], labels i64[N,...]. A label outside [0, C) is an Error(out_of_range) that names
// the sample, thrown at the next host wait; optimizer steps before it change nothing. log_p is what
// log_softmax() gives; weight takes no gradient.
[[nodiscard]] Tensor nll_loss(const Tensor& log_p, const Tensor& labels,
                              const NllOptions& options = {});

// nll_loss() of log_softmax(logits, 1), in one operation where logits are [N,C] and no option but
// the reduction is set. Labels that are floating and of the logits' shape are probabilities of the
// classes; they take no gradient and no ignore_index, and a mean is over N and the trailing axes.
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& labels,
                                   const CrossEntropyOptions& options);
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& labels,
                                   Reduction reduction = Reduction::mean);

// Of two tensors of one shape and type. Both take gradients.
[[nodiscard]] Tensor mse_loss(const Tensor& x, const Tensor& target,
                              Reduction reduction = Reduction::mean);
[[nodiscard]] Tensor l1_loss(const Tensor& x, const Tensor& target,
                             Reduction reduction = Reduction::mean);
// d^2 / 2 where d = |x - target| is up to delta, then a line of slope delta (Huber 1964).
[[nodiscard]] Tensor huber_loss(const Tensor& x, const Tensor& target, float delta = 1,
                                Reduction reduction = Reduction::mean);
// huber_loss(x, target, beta) / beta (Girshick 2015); l1_loss where beta is 0.
[[nodiscard]] Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, float beta = 1,
                                    Reduction reduction = Reduction::mean);

struct BceOptions {
  Reduction reduction = Reduction::mean;
  Tensor weight = {};      // of each element; broadcast to x
  Tensor pos_weight = {};  // of the term of positive targets; broadcast to x
};
// Binary cross-entropy of sigmoid(x), computed from x so that it doesn't overflow. A mean is over
// all elements, whatever their weights. target and weights take no gradient.
[[nodiscard]] Tensor bce_with_logits(const Tensor& x, const Tensor& target,
                                     const BceOptions& options = {});

// batch_mean: the sum divided by N, which is the divergence of the definition.
enum class KlDivReduction { batch_mean, mean, sum, none };
struct KlDivOptions {
  KlDivReduction reduction = KlDivReduction::batch_mean;
  bool log_target = false;  // target is log-probabilities too
};
// target * (ln(target) - log_p), in that order of arguments: log_p is what log_softmax() gives.
// target takes no gradient.
[[nodiscard]] Tensor kl_div(const Tensor& log_p, const Tensor& target,
                            const KlDivOptions& options = {});

}  // namespace backplane
