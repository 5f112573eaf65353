// relu.
#include "functional/elementwise.hpp"

namespace backplane {

Tensor relu(const Tensor& x) {
  return detail::elementwise("relu", Operation(op::Relu{}), x, detail::Saves::output,
                             op::ReluBackward{});
}

}  // namespace backplane
