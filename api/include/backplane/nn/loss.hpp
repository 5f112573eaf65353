// Losses as objects: a choice made once, called at every step.
#pragma once

#include "backplane/functional.hpp"

namespace backplane {

// cross_entropy() of logits[N,C] and labels i64[N].
struct CrossEntropyLoss {
  Reduction reduction = Reduction::mean;
  [[nodiscard]] Tensor operator()(const Tensor& logits, const Tensor& labels) const {
    return cross_entropy(logits, labels, reduction);
  }
};

// mse_loss() of two tensors of one shape.
struct MSELoss {
  Reduction reduction = Reduction::mean;
  [[nodiscard]] Tensor operator()(const Tensor& x, const Tensor& target) const {
    return mse_loss(x, target, reduction);
  }
};

}  // namespace backplane
