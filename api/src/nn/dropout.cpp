// Dropout as layers.
#include "backplane/nn/dropout.hpp"

#include "backplane/functional.hpp"
#include "check.hpp"

namespace backplane {

namespace {

float checked_probability(std::string_view layer, float p) {
  if (p >= 0 && p < 1) return p;
  detail::reject("{}: p must be in [0, 1), got {}; it is the share that is dropped", layer, p);
}

}  // namespace

Dropout::Dropout(float p) : p_(checked_probability("Dropout", p)) {}

Tensor Dropout::forward(const Tensor& x) {
  return dropout(x, p_, training());
}

Dropout2d::Dropout2d(float p) : p_(checked_probability("Dropout2d", p)) {}

Tensor Dropout2d::forward(const Tensor& x) {
  return dropout2d(x, p_, training());
}

}  // namespace backplane
