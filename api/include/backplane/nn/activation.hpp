// Activations as layers.
#pragma once

#include "backplane/nn/layer.hpp"

namespace backplane {

// max(x, 0), element by element; NaN stays NaN.
class ReLU : public LayerOf<ReLU> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override;
};

}  // namespace backplane
