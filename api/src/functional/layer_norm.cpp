// layer_norm: lines along the last axes.
#include "functional/normalization.hpp"

namespace backplane {

using detail::describe;
using detail::reject;

namespace {

// The last axes, whose sizes must be `normalized`.
std::uint32_t last_axes(const Tensor& x, const Shape& normalized) {
  const std::size_t rank = x.rank(), count = normalized.rank();
  bool fits = 1 <= count && count <= rank;
  std::uint32_t axes = 0;
  for (std::size_t i = 0; fits && i < count; ++i) {
    const std::size_t axis = rank - count + i;
    fits = x.shape()[axis] == normalized[i];
    axes |= 1u << axis;
  }
  if (!fits) {
    reject("layer_norm: expects last axes of {}, got {}", to_string(normalized), describe(x));
  }
  return axes;
}

void check_parameter(const char* role, const Tensor& values, const Tensor& x,
                     const Shape& normalized) {
  if (!values.defined()) return;
  detail::check_same_type("layer_norm", x, values);
  if (values.shape() != normalized) {
    reject("layer_norm: {} expects the shape of what is normalised, {}, got {}", role,
           to_string(normalized), describe(values));
  }
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Shape& normalized, const Tensor& weight,
                  const Tensor& bias, float epsilon) {
  detail::check_floating("layer_norm", x);
  detail::check_epsilon("layer_norm", epsilon);
  const std::uint32_t axes = last_axes(x, normalized);
  check_parameter("weight", weight, x, normalized);
  check_parameter("bias", bias, x, normalized);
  return detail::weighted(detail::standardize("layer_norm", x, axes, epsilon).y, weight, bias);
}

}  // namespace backplane
