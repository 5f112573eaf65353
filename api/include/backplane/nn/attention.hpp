// Attention with several heads.
#pragma once

#include "backplane/nn/layer.hpp"
#include "backplane/nn/linear.hpp"

namespace backplane {

// Heads of scaled_dot_product_attention() between linear layers (Vaswani et al. 2017,
// section 3.2.2). The children "query", "key", "value" and "output" map [N,...,features] to the
// same.
class MultiheadAttention : public LayerOf<MultiheadAttention> {
 public:
  struct Options {
    bool bias = true;
    bool causal = false;  // a position sees itself and those before it
    float dropout = 0;    // of the weights, while training
  };

  // Error(invalid_argument) unless features divide into heads, or for a dropout outside [0, 1).
  MultiheadAttention(std::int64_t features, std::int64_t heads, const Options& options);
  MultiheadAttention(std::int64_t features, std::int64_t heads)
      : MultiheadAttention(features, heads, Options{}) {}

  // Of x[N,L,features] with itself.
  [[nodiscard]] Tensor forward(const Tensor& x) override { return attend(x, x, x); }
  // query[N,L,features], key and value[N,S,features] -> [N,L,features]. A mask is added to the
  // scores, to whose shape [N,heads,L,S] it broadcasts.
  [[nodiscard]] Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value,
                              const Tensor& mask = {});
  void visit(Visitor& visitor) override;

 private:
  [[nodiscard]] Tensor split_heads(const Tensor& x) const;  // -> [N,heads,L,features / heads]

  std::int64_t heads_;
  Options options_;
  Linear query_, key_, value_, output_;
};

}  // namespace backplane
