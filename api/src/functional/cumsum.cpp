// cumsum: running sums along one axis; the gradient's run the other way.
#include "functional/operands.hpp"

namespace backplane {

Tensor cumsum(const Tensor& x, std::int64_t axis, bool reverse) {
  const Shape& shape = detail::get(x, "cumsum").shape;
  const op::Cumsum params{static_cast<std::int32_t>(shape.axis(axis, "cumsum")), reverse};
  const Tensor y = detail::run(Operation(params), {x}, detail::like(x));
  return detail::record("cumsum", {x}, y, [axis, reverse](const detail::BackwardCall& call) {
    return std::vector{cumsum(call.gradient, axis, !reverse)};
  });
}

}  // namespace backplane
