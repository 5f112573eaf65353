// Functions of one element: neg, abs, sign, exp, log, sqrt, rsqrt, square, reciprocal, clamp. Most
// gradients are made of other functions.
#include <cmath>
#include <limits>

#include "functional/elementwise.hpp"

namespace backplane {

using detail::elementwise;
using detail::Saves;

Tensor neg(const Tensor& x) {
  return elementwise("neg", Operation(op::Neg{}), x, [](const Tensor& dy) { return neg(dy); });
}

Tensor abs(const Tensor& x) {
  return elementwise("abs", Operation(op::Abs{}), x, Saves::input, op::AbsBackward{});
}

Tensor sign(const Tensor& x) {
  return elementwise("sign", Operation(op::Sign{}), x, [](const Tensor& dy) {
    return zeros(dy.shape(), {.dtype = dy.dtype(), .device = dy.device()});
  });
}

Tensor exp(const Tensor& x) {
  return elementwise("exp", Operation(op::Exp{}), x, Saves::output,
                     [](const Tensor& dy, const Tensor& y) { return dy * y; });
}

Tensor log(const Tensor& x) {
  return elementwise("log", Operation(op::Log{}), x, Saves::input,
                     [](const Tensor& dy, const Tensor& x) { return dy * reciprocal(x); });
}

Tensor sqrt(const Tensor& x) {
  return elementwise("sqrt", Operation(op::Sqrt{}), x, Saves::output,
                     [](const Tensor& dy, const Tensor& y) { return dy * reciprocal(y * 2); });
}

// In factors that don't overflow where the gradient doesn't: y^3 would, or y^2.
Tensor rsqrt(const Tensor& x) {
  return elementwise("rsqrt", Operation(op::Rsqrt{}), x, Saves::output,
                     [](const Tensor& dy, const Tensor& y) { return dy * y * y * y * -0.5; });
}

Tensor square(const Tensor& x) {
  return elementwise("square", Operation(op::Square{}), x, Saves::input,
                     [](const Tensor& dy, const Tensor& x) { return dy * (x * 2); });
}

Tensor reciprocal(const Tensor& x) {
  return elementwise("reciprocal", Operation(op::Reciprocal{}), x, Saves::output,
                     [](const Tensor& dy, const Tensor& y) { return neg(dy * y * y); });
}

Tensor clamp(const Tensor& x, const ClampOptions& options) {
  if (!options.min && !options.max) {
    detail::reject("clamp: expects a bound, got neither min nor max; give one of them");
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const op::ClampParams bounds{options.min.value_or(-infinity), options.max.value_or(infinity)};
  if (std::isnan(bounds.min) || std::isnan(bounds.max)) {
    detail::reject("clamp: bounds must be numbers, got min {} and max {}; leave one out instead",
                   bounds.min, bounds.max);
  }
  return elementwise("clamp", Operation(op::Clamp{bounds}), x, Saves::input,
                     op::ClampBackward{bounds});
}

}  // namespace backplane
