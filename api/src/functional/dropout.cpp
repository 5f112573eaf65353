// dropout and dropout2d: linear in x, so each is its own gradient with the same draw.
#include "functional/operands.hpp"
#include "random/generator.hpp"

namespace backplane {
namespace {

template <class Op>
Tensor drop(const char* name, const Tensor& x, float p, bool training) {
  detail::check_floating(name, x);
  if (!(p >= 0 && p < 1)) detail::reject("{}: p must be in [0, 1), got {}", name, p);
  if (!training || p == 0) return x;
  const Operation operation(Op{p}, detail::next_draw());
  const Tensor y = detail::run(operation, {x}, detail::like(x));
  return detail::record(name, {x}, y, [operation](const detail::BackwardCall& call) {
    return std::vector{detail::run(operation, {call.gradient}, detail::like(call.gradient))};
  });
}

}  // namespace

Tensor dropout(const Tensor& x, float p, bool training) {
  if (detail::get(x, "dropout").shape.rank() == 0) {
    detail::reject("dropout: expects at least one axis, of samples, got {}", detail::describe(x));
  }
  return drop<op::Dropout>("dropout", x, p, training);
}

Tensor dropout2d(const Tensor& x, float p, bool training) {
  if (detail::get(x, "dropout2d").shape.rank() < 2) {
    detail::reject("dropout2d: expects axes of samples and channels, got {}", detail::describe(x));
  }
  return drop<op::Dropout2d>("dropout2d", x, p, training);
}

}  // namespace backplane
