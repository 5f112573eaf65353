// Reductions over axes.
#pragma once

#include <vector>

#include "backplane/tensor.hpp"

namespace backplane {

// Over the given axes, or all of them; the axes vanish unless `keep` is set.
[[nodiscard]] Tensor sum(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
[[nodiscard]] Tensor mean(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
// i64 position of the maximum along an axis, which vanishes: the first of equals, the first NaN.
[[nodiscard]] Tensor arg_max(const Tensor& x, std::int64_t axis = -1);

}  // namespace backplane
