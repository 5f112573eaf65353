// Embedding: a row of its own for each of so many words.
#pragma once

#include "backplane/functional.hpp"
#include "backplane/nn/layer.hpp"

namespace backplane {

// i64 indices of any shape -> [..., dimension]. `weight` is [count,dimension] and starts normal,
// with mean 0 and deviation 1, on the default device; the row of the padding index starts as 0 and
// stays.
class Embedding : public LayerOf<Embedding> {
 public:
  // Error(invalid_argument) for counts that aren't positive, or a padding index outside of them.
  Embedding(std::int64_t count, std::int64_t dimension, const EmbeddingOptions& options = {});

  [[nodiscard]] Tensor forward(const Tensor& indices) override;
  void visit(Visitor& visitor) override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }

 private:
  Tensor weight_;
  EmbeddingOptions options_;
};

}  // namespace backplane
