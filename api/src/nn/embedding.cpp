// Embedding as a layer.
#include "backplane/nn/embedding.hpp"

#include "check.hpp"

namespace backplane {

Embedding::Embedding(std::int64_t count, std::int64_t dimension, const EmbeddingOptions& options)
    : options_(options) {
  if (count < 1 || dimension < 1) {
    detail::reject("Embedding: counts must be positive, got {} rows of {}", count, dimension);
  }
  const std::optional<std::int64_t> padding = options.padding_index;
  if (padding && (*padding < 0 || *padding >= count)) {
    detail::reject("Embedding: the padding index must be one of {} rows, got {}", count, *padding);
  }
  weight_ = normal({count, dimension}, 0, 1);
  if (padding) weight_.slice(0, *padding, *padding + 1).fill(0);
  weight_.set_requires_grad();
}

Tensor Embedding::forward(const Tensor& indices) {
  return embedding(weight_, indices, options_);
}

void Embedding::visit(Visitor& visitor) {
  visitor.parameter("weight", weight_);
}

}  // namespace backplane
