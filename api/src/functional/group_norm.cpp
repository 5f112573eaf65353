// group_norm: lines over the channels and positions of one group of a sample.
#include "functional/normalization.hpp"

namespace backplane {

Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight, const Tensor& bias,
                  float epsilon) {
  detail::check_channels("group_norm", x);
  detail::check_epsilon("group_norm", epsilon);
  if (groups < 1 || x.size(1) % groups != 0) {
    detail::reject("group_norm: {} channels don't divide into {} groups (input {})", x.size(1),
                   groups, detail::describe(x));
  }
  detail::check_for_channels("group_norm", "weight", weight, x);
  detail::check_for_channels("group_norm", "bias", bias, x);
  std::int64_t length = x.size(1) / groups;
  for (std::size_t axis = 2; axis < x.rank(); ++axis) length *= x.shape()[axis];
  const Tensor lines = x.reshape({x.size(0), groups, length});
  const Tensor y = detail::standardize("group_norm", lines, 0b100, epsilon).y.reshape(x.shape());
  return detail::weighted(y, detail::by_channel(weight, x), detail::by_channel(bias, x));
}

}  // namespace backplane
