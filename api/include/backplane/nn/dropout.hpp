// Dropout: layers that drop random parts of their input while training (Srivastava et al. 2014).
#pragma once

#include "backplane/nn/layer.hpp"

namespace backplane {

// Drops each element with probability p and scales the rest by 1 / (1 - p). In eval() x itself.
class Dropout : public LayerOf<Dropout> {
 public:
  explicit Dropout(float p = 0.5f);  // Error(invalid_argument) outside [0, 1)

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  float p_;
};

// As Dropout, but drops whole channels of a sample: x[N,C,...].
class Dropout2d : public LayerOf<Dropout2d> {
 public:
  explicit Dropout2d(float p = 0.5f);  // Error(invalid_argument) outside [0, 1)

  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  float p_;
};

}  // namespace backplane
