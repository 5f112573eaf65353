// Scaled dot-product attention, composed of other functions.
#include <cmath>
#include <limits>

#include "functional/operands.hpp"

namespace backplane {

using detail::describe;
using detail::reject;

namespace {

// -inf where a key comes after the query, else 0; [queries, keys].
//
// Row i of it is a window into a line of zeros and then -inf, which moves to the left from row to
// row. Strides aren't negative, so the rows are made in reverse and flipped.
Tensor causal_mask(std::int64_t queries, std::int64_t keys, DType type, Device device) {
  if (queries == 0 || keys == 0) return zeros({queries, keys}, {.dtype = type, .device = device});
  const Tensor line = zeros({queries + keys - 1}, {.dtype = type, .device = device});
  line.slice(0, queries, queries + keys - 1).fill(-std::numeric_limits<double>::infinity());
  return flip(detail::view_of(*line.impl(), {queries, keys}, {1, 1}, 0), {0});
}

void check(const Tensor& query, const Tensor& key, const Tensor& value) {
  constexpr const char* name = "scaled_dot_product_attention";
  detail::check_same_type(name, query, key);
  detail::check_same_type(name, query, value);
  detail::check_floating(name, query);
  if (query.rank() < 2 || key.rank() < 2 || value.rank() < 2) {
    reject("{}: query, key and value expect 2 axes or more, got {}, {} and {}", name,
           describe(query), describe(key), describe(value));
  }
  if (query.size(-1) != key.size(-1) || key.size(-2) != value.size(-2)) {
    reject("{}: expects query[...,L,E], key[...,S,E] and value[...,S,V], got {}, {} and {}", name,
           describe(query), describe(key), describe(value));
  }
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  check(query, key, value);
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  // Scaled before the product: there are fewer elements.
  Tensor scores = matmul(affine(query, scale, 0), key.transpose(-2, -1));
  if (options.causal) {
    scores = scores + causal_mask(query.size(-2), key.size(-2), query.dtype(), query.device());
  }
  if (options.mask.defined()) scores = scores + options.mask;
  return matmul(dropout(softmax(scores), options.dropout), value);
}

}  // namespace backplane
