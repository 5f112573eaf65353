// cast and normalize: from one element type to another.
#include "functional/operands.hpp"

namespace backplane {

Tensor cast(const Tensor& x, DType type) {
  if (detail::get(x, "cast").dtype == type) return x;
  const Tensor y = detail::run(Operation(op::Copy{}), {x}, {type, x.shape()});
  if (!is_floating(type)) return y;
  return detail::record("cast", {x}, y, [from = x.dtype()](const detail::BackwardCall& call) {
    return std::vector{cast(call.gradient, from)};
  });
}

Tensor normalize(const Tensor& x, const Tensor& mean, const Tensor& deviation) {
  const Shape& shape = detail::get(x, "normalize").shape;
  if (x.dtype() != DType::u8 || shape.rank() < 2) {
    detail::reject("normalize: expects u8[N,C,...], got {}", detail::describe(x));
  }
  for (const Tensor* one : {&mean, &deviation}) {
    if (detail::get(*one, "normalize").dtype != DType::f32 || one->shape() != Shape{shape[1]}) {
      detail::reject("normalize: mean and deviation are f32[{}], one value for each channel of {}, "
                     "got {} and {}",
                     shape[1], detail::describe(x), detail::describe(mean),
                     detail::describe(deviation));
    }
  }
  return detail::run(Operation(op::Normalize{}), {x, mean, deviation}, {DType::f32, shape});
}

}  // namespace backplane
