// One layer of a transformer's encoder.
#pragma once

#include "backplane/nn/attention.hpp"
#include "backplane/nn/dropout.hpp"
#include "backplane/nn/layer.hpp"
#include "backplane/nn/linear.hpp"
#include "backplane/nn/norm.hpp"

namespace backplane {

// x[N,L,features] -> the same: attention of x with itself, then two linear layers with a relu in
// between, each added to what came in (Vaswani et al. 2017, section 3.1). The children are
// "attention", "hidden", "output", "attention_norm", "feedforward_norm" and "dropout".
class TransformerEncoderLayer : public LayerOf<TransformerEncoderLayer> {
 public:
  struct Options {
    std::int64_t hidden = 2048;  // features between the linear layers
    float dropout = 0.1f;        // of attention weights, of the relu, of what is added
    bool causal = false;         // a position sees itself and those before it
    bool norm_first = false;     // normalises what goes into each half, not what comes out
  };

  // Error(invalid_argument) unless features divide into heads, or for options out of range.
  TransformerEncoderLayer(std::int64_t features, std::int64_t heads, const Options& options);
  TransformerEncoderLayer(std::int64_t features, std::int64_t heads)
      : TransformerEncoderLayer(features, heads, Options{}) {}

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

 private:
  [[nodiscard]] Tensor feed_forward(const Tensor& x);

  bool norm_first_;
  MultiheadAttention attention_;
  Linear hidden_, output_;
  LayerNorm attention_norm_, feedforward_norm_;
  Dropout dropout_;
};

}  // namespace backplane
