// Activations as layers.
#include "backplane/nn/activation.hpp"

#include "backplane/functional.hpp"

namespace backplane {

Tensor ReLU::forward(const Tensor& x) {
  return relu(x);
}

}  // namespace backplane
