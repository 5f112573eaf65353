// transformer: a two-layer encoder that reads sequences of tokens (Vaswani et al. 2017).
#pragma once

#include "models/model.hpp"

namespace backplane::models {

// tokens i64[N,length] -> logits[N,classes]: an embedding of each token and one of each place,
// added; encoder layers; the mean over all places; linear.
class TransformerClassifier : public LayerOf<TransformerClassifier> {
 public:
  struct Options {
    std::int64_t vocabulary = 10, length = 16, classes = 10;
    std::int64_t features = 32, heads = 4, hidden = 64, layers = 2;
    float dropout = 0.1f;
  };
  TransformerClassifier() : TransformerClassifier(Options{}) {}
  explicit TransformerClassifier(const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& tokens) override;
  void visit(Visitor& visitor) override;

 private:
  Embedding tokens_;
  Tensor places_;  // [length,features]
  Sequential encoder_;
  Linear classifier_;
};

// Sequences of 16 tokens of 10 kinds: one kind, the label, takes each place with probability 1/2,
// and any kind the rest. 4,096 samples to train and 1,024 to test; all depends on the seed alone.
[[nodiscard]] Data frequent_token_data(std::uint64_t seed);

// With the data above; cross entropy; Adam at 1e-3.
[[nodiscard]] Model transformer_model();

}  // namespace backplane::models
