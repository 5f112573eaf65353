// The weights that layers start from.
#include "nn/initial.hpp"

#include <cmath>

namespace backplane::detail {

Tensor initial_parameter(const Shape& shape, std::int64_t fan_in) {
  const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(fan_in)));
  return uniform(shape, -bound, bound, {.requires_grad = true});
}

}  // namespace backplane::detail
