// The activations that fused operations end with.
#pragma once

#include <cmath>
#include <vector>

#include "check.hpp"

namespace backplane::reference {

inline void check_activation(const Check& check, op::Activation activation) {
  check.that(activation <= op::Activation::tanh, "there is no such activation");
}

inline void activate(op::Activation activation, std::vector<double>& values) {
  for (double& x : values) {
    switch (activation) {
      case op::Activation::none: break;
      case op::Activation::relu: x = x > 0 || std::isnan(x) ? x : 0.0; break;
      case op::Activation::sigmoid: x = 1 / (1 + std::exp(-x)); break;
      case op::Activation::tanh: x = std::tanh(x); break;
    }
  }
}

}  // namespace backplane::reference
