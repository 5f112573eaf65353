// The activations of fused operations: their names, and what they make of special values.
#pragma once

#include <cmath>
#include <vector>

#include "backplane/operation.hpp"
#include "data.hpp"

namespace conformance {

[[nodiscard]] inline const char* activation_name(backplane::op::Activation activation) {
  switch (activation) {
    case backplane::op::Activation::none:
      return "none";
    case backplane::op::Activation::relu:
      return "relu";
    case backplane::op::Activation::sigmoid:
      return "sigmoid";
    case backplane::op::Activation::tanh:
      return "tanh";
  }
  return "unknown";
}

// Those that keep integers are tried on exact data too.
[[nodiscard]] inline std::vector<DataClass> classes_of(backplane::op::Activation activation) {
  if (activation <= backplane::op::Activation::relu) return {DataClass::exact, DataClass::real};
  return {DataClass::real};
}

// y = activation(x), each within so many ulps.
struct KnownActivation {
  backplane::op::Activation activation;
  std::vector<double> x, y;
  double ulps = 0;
};

inline const KnownActivation known_activations[] = {
    {backplane::op::Activation::none,
     {NAN, INFINITY, -INFINITY, -8, 3},
     {NAN, INFINITY, -INFINITY, -8, 3}},
    {backplane::op::Activation::relu,
     {NAN, INFINITY, -INFINITY, 0, -8, 3},
     {NAN, INFINITY, 0, 0, 0, 3}},
    {backplane::op::Activation::sigmoid,
     {NAN, INFINITY, -INFINITY, 0, 1000, -1000, 1},
     {NAN, 1, 0, 0.5, 1, 0, 0.7310585786300049},
     4},
    {backplane::op::Activation::tanh,
     {NAN, INFINITY, -INFINITY, 0, 100, -100, 0.5},
     {NAN, 1, -1, 0, 1, -1, 0.46211715726000974},
     4},
};

}  // namespace conformance
