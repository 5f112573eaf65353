// Tensors put together, taken apart and turned round.
#pragma once

#include <vector>

#include "backplane/tensor.hpp"

namespace backplane {

// One after the other along an axis; types, and sizes of the other axes, must be equal.
[[nodiscard]] Tensor concat(const std::vector<Tensor>& tensors, std::int64_t axis = 0);
// Along a new axis, which comes before the axis `axis` of the tensors; their shapes must be equal.
[[nodiscard]] Tensor stack(const std::vector<Tensor>& tensors, std::int64_t axis = 0);

// Views of consecutive parts of an axis: of the given sizes, whose sum is the axis's; or `count`
// parts, equal but for the last, which may be smaller, and fewer where there aren't that many.
[[nodiscard]] std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& sizes,
                                        std::int64_t axis = 0);
[[nodiscard]] std::vector<Tensor> chunk(const Tensor& x, std::int64_t count, std::int64_t axis = 0);
// A view of elements [start, start + length) of an axis.
[[nodiscard]] Tensor narrow(const Tensor& x, std::int64_t axis, std::int64_t start,
                            std::int64_t length);

// Views without an axis of size 1, and with a new one that comes before the axis `axis`.
[[nodiscard]] Tensor squeeze(const Tensor& x, std::int64_t axis);
[[nodiscard]] Tensor unsqueeze(const Tensor& x, std::int64_t axis);

// How many elements come before and after those of an axis.
struct AxisPadding {
  std::int64_t before = 0, after = 0;
};
// x with elements of one value around it: a padding for each axis.
[[nodiscard]] Tensor pad(const Tensor& x, const std::vector<AxisPadding>& padding,
                         double value = 0);

// Backwards along the given axes.
[[nodiscard]] Tensor flip(const Tensor& x, const std::vector<std::int64_t>& axes);

}  // namespace backplane
