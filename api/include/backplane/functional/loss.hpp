// Losses.
#pragma once

#include "backplane/plugin/ops/loss.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

using op::Reduction;

// logits[N,C], labels i64[N]. A label outside [0, C) is an Error(out_of_range) that names the
// sample, thrown at the next host wait; optimizer steps before it change nothing.
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& labels,
                                   Reduction reduction = Reduction::mean);
[[nodiscard]] Tensor mse_loss(const Tensor& x, const Tensor& target,
                              Reduction reduction = Reduction::mean);

}  // namespace backplane
