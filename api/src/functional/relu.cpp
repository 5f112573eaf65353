// relu.
#include "functional/operands.hpp"

namespace backplane {

Tensor relu(const Tensor& x) {
  detail::check_floating("relu", x);
  const Tensor y = detail::run(Operation(op::Relu{}), {x}, detail::like(x));
  if (!detail::records({x})) return y;
  return detail::record(
      "relu", {x}, y, [y = detail::SavedTensor(y)](const detail::BackwardCall& call) {
        const Tensor& result = y.get("relu");
        return std::vector{detail::run(Operation(op::ReluBackward{}), {call.gradient, result},
                                       detail::like(result))};
      });
}

}  // namespace backplane
