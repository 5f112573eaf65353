// TransformerEncoderLayer as a layer of layers.
#include "backplane/nn/transformer.hpp"

#include "backplane/functional.hpp"

namespace backplane {

TransformerEncoderLayer::TransformerEncoderLayer(std::int64_t features, std::int64_t heads,
                                                 const Options& options)
    : norm_first_(options.norm_first),
      attention_(features, heads, {.causal = options.causal, .dropout = options.dropout}),
      hidden_(features, options.hidden),
      output_(options.hidden, features),
      attention_norm_(Shape{features}),
      feedforward_norm_(Shape{features}),
      dropout_(options.dropout) {}

Tensor TransformerEncoderLayer::feed_forward(const Tensor& x) {
  return dropout_(output_(dropout_(relu(hidden_(x)))));
}

Tensor TransformerEncoderLayer::forward(const Tensor& x) {
  if (norm_first_) {
    const Tensor attended = x + dropout_(attention_(attention_norm_(x)));
    return attended + feed_forward(feedforward_norm_(attended));
  }
  const Tensor attended = attention_norm_(x + dropout_(attention_(x)));
  return feedforward_norm_(attended + feed_forward(attended));
}

void TransformerEncoderLayer::visit(Visitor& visitor) {
  visitor.child("attention", attention_);
  visitor.child("hidden", hidden_);
  visitor.child("output", output_);
  visitor.child("attention_norm", attention_norm_);
  visitor.child("feedforward_norm", feedforward_norm_);
  visitor.child("dropout", dropout_);
}

}  // namespace backplane
