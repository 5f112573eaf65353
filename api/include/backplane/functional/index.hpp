// Elements by their positions. An index is i64; one out of range is an Error(out_of_range) that
// names the first, thrown at the next host wait, and optimizer steps before it change nothing.
#pragma once

#include <optional>
#include <utility>

#include "backplane/tensor.hpp"

namespace backplane {

// y[..., i, ...] = x[..., index[..., i, ...], ...]: index has the shape of y, and but for the axis
// that of x.
[[nodiscard]] Tensor gather(const Tensor& x, std::int64_t axis, const Tensor& index);
// x, with source[..., i, ...] added at [..., index[..., i, ...], ...]. The sums are taken in the
// order of i, so they are the same at each run.
[[nodiscard]] Tensor scatter_add(const Tensor& x, std::int64_t axis, const Tensor& index,
                                 const Tensor& source);

struct EmbeddingOptions {
  std::optional<std::int64_t> padding_index = {};  // this row gets no gradient
};
// The rows of weight[V,D] for indices of any shape: -> [..., D].
[[nodiscard]] Tensor embedding(const Tensor& weight, const Tensor& indices,
                               const EmbeddingOptions& options = {});

// 1 at each label and 0 elsewhere, along a new last axis of so many classes.
[[nodiscard]] Tensor one_hot(const Tensor& labels, std::int64_t classes, DType type = DType::f32);

struct TopKOptions {
  std::int64_t axis = -1;
  bool largest = true;  // or the smallest
};
// The k first elements of an axis in the order from the largest (or smallest) on, and their i64
// positions. NaN counts as the largest; among equals the first comes first. With k the size of the
// axis it sorts.
[[nodiscard]] std::pair<Tensor, Tensor> top_k(const Tensor& x, std::int64_t k,
                                              const TopKOptions& options = {});

}  // namespace backplane
