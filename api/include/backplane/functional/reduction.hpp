// Reductions over axes, and running sums along one.
#pragma once

#include <vector>

#include "backplane/tensor.hpp"

namespace backplane {

// Over the given axes, or all of them; the axes vanish unless `keep` is set. What a sum, a product
// or a mean of no elements is: 0, 1, NaN.
[[nodiscard]] Tensor sum(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
[[nodiscard]] Tensor mean(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
[[nodiscard]] Tensor prod(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
// A NaN wins; the gradient is shared evenly among equals. Of no elements: an Error.
[[nodiscard]] Tensor max(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
[[nodiscard]] Tensor min(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
// The sum of squared differences from the mean, divided by the count less `correction`, and its
// square root. NaN where that leaves nothing to divide by. Floats of 16 bits are computed in f32.
[[nodiscard]] Tensor var(const Tensor& x, std::vector<std::int64_t> axes = {},
                         std::int64_t correction = 1, bool keep = false);
[[nodiscard]] Tensor stddev(const Tensor& x, std::vector<std::int64_t> axes = {},
                            std::int64_t correction = 1, bool keep = false);
// Whether any element, or every one, differs from 0 (a NaN does): 1 or 0 in u8. Of no elements:
// 0, 1.
[[nodiscard]] Tensor any(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
[[nodiscard]] Tensor all(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);

// i64 position of the maximum along an axis, which vanishes: the first of equals, the first NaN.
[[nodiscard]] Tensor arg_max(const Tensor& x, std::int64_t axis = -1);
[[nodiscard]] Tensor arg_min(const Tensor& x, std::int64_t axis = -1);

// Of equal shape: each element the sum of itself and of those before it, or behind it, along an
// axis.
[[nodiscard]] Tensor cumsum(const Tensor& x, std::int64_t axis = -1, bool reverse = false);

}  // namespace backplane
