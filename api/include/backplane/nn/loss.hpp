// Losses as objects: a choice made once, called at every step. Each has the options of its
// function.
#pragma once

#include "backplane/functional.hpp"

namespace backplane {

// cross_entropy() of logits[N,C,...] and labels i64[N,...].
struct CrossEntropyLoss : CrossEntropyOptions {
  [[nodiscard]] Tensor operator()(const Tensor& logits, const Tensor& labels) const {
    return cross_entropy(logits, labels, *this);
  }
};

// nll_loss() of log-probabilities [N,C,...] and labels i64[N,...].
struct NLLLoss : NllOptions {
  [[nodiscard]] Tensor operator()(const Tensor& log_p, const Tensor& labels) const {
    return nll_loss(log_p, labels, *this);
  }
};

// mse_loss() of two tensors of one shape.
struct MSELoss {
  Reduction reduction = Reduction::mean;
  [[nodiscard]] Tensor operator()(const Tensor& x, const Tensor& target) const {
    return mse_loss(x, target, reduction);
  }
};

// l1_loss() of two tensors of one shape.
struct L1Loss {
  Reduction reduction = Reduction::mean;
  [[nodiscard]] Tensor operator()(const Tensor& x, const Tensor& target) const {
    return l1_loss(x, target, reduction);
  }
};

// huber_loss() of two tensors of one shape.
struct HuberLoss {
  float delta = 1;
  Reduction reduction = Reduction::mean;
  [[nodiscard]] Tensor operator()(const Tensor& x, const Tensor& target) const {
    return huber_loss(x, target, delta, reduction);
  }
};

// smooth_l1_loss() of two tensors of one shape.
struct SmoothL1Loss {
  float beta = 1;
  Reduction reduction = Reduction::mean;
  [[nodiscard]] Tensor operator()(const Tensor& x, const Tensor& target) const {
    return smooth_l1_loss(x, target, beta, reduction);
  }
};

// bce_with_logits() of two tensors of one shape.
struct BCEWithLogitsLoss : BceOptions {
  [[nodiscard]] Tensor operator()(const Tensor& x, const Tensor& target) const {
    return bce_with_logits(x, target, *this);
  }
};

// kl_div() of log-probabilities and probabilities of one shape.
struct KLDivLoss : KlDivOptions {
  [[nodiscard]] Tensor operator()(const Tensor& log_p, const Tensor& target) const {
    return kl_div(log_p, target, *this);
  }
};

}  // namespace backplane
