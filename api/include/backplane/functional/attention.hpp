// Attention.
#pragma once

#include <optional>

#include "backplane/tensor.hpp"

namespace backplane {

struct AttentionOptions {
  Tensor mask = {};     // added to the scores, to whose shape it broadcasts; -inf shuts out
  bool causal = false;  // query i sees keys 0 to i
  float dropout = 0;    // of the weights
  std::optional<double> scale = {};  // of the scores; default 1 / sqrt(E)
};
// softmax(scale * query key^T + mask) value (Vaswani et al. 2017, section 3.2.1):
// query[...,L,E], key[...,S,E], value[...,S,V] -> [...,L,V]. The leading axes broadcast. A query
// that is shut out from all keys gives NaN.
[[nodiscard]] Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                                  const Tensor& value,
                                                  const AttentionOptions& options = {});

}  // namespace backplane
