// MultiheadAttention as a layer.
#include "backplane/nn/attention.hpp"

#include "backplane/functional.hpp"
#include "check.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {

namespace {

// Before any layer is made of them.
std::int64_t checked_features(std::int64_t features, std::int64_t heads, float dropout) {
  if (features < 1 || heads < 1 || features % heads != 0) {
    detail::reject("MultiheadAttention: features must divide into heads, got {} and {}", features,
                   heads);
  }
  if (!(dropout >= 0 && dropout < 1)) {
    detail::reject("MultiheadAttention: dropout must be in [0, 1), got {}", dropout);
  }
  return features;
}

}  // namespace

MultiheadAttention::MultiheadAttention(std::int64_t features, std::int64_t heads,
                                       const Options& options)
    : heads_(heads),
      options_(options),
      query_(checked_features(features, heads, options.dropout), features, {.bias = options.bias}),
      key_(features, features, {.bias = options.bias}),
      value_(features, features, {.bias = options.bias}),
      output_(features, features, {.bias = options.bias}) {}

Tensor MultiheadAttention::split_heads(const Tensor& x) const {
  return x.reshape({x.size(0), x.size(1), heads_, x.size(2) / heads_}).permute({0, 2, 1, 3});
}

Tensor MultiheadAttention::attend(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const Tensor& mask) {
  for (const Tensor* x : {&query, &key, &value}) {
    if (detail::get(*x, "MultiheadAttention").shape.rank() != 3) {
      detail::reject("MultiheadAttention: expects [N,L,features], got {}", detail::describe(*x));
    }
  }
  const Tensor y = scaled_dot_product_attention(
      split_heads(query_(query)), split_heads(key_(key)), split_heads(value_(value)),
      {.mask = mask, .causal = options_.causal, .dropout = training() ? options_.dropout : 0});
  return output_(y.permute({0, 2, 1, 3}).flatten(2));
}

void MultiheadAttention::visit(Visitor& visitor) {
  visitor.child("query", query_);
  visitor.child("key", key_);
  visitor.child("value", value_);
  visitor.child("output", output_);
}

}  // namespace backplane
