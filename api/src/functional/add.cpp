// add, mul, affine: element-wise with broadcasting.
#include <cmath>

#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::SavedTensor;

namespace detail {
namespace {

Shape broadcast(const char* name, const Tensor& a, const Tensor& b) {
  const Shape &x = a.shape(), &y = b.shape();
  Shape result = x.rank() >= y.rank() ? x : y;
  const std::size_t rank = result.rank();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t m = axis < rank - x.rank() ? 1 : x[axis - (rank - x.rank())];
    const std::int64_t n = axis < rank - y.rank() ? 1 : y[axis - (rank - y.rank())];
    if (m != n && m != 1 && n != 1) {
      reject("{}: shapes must be equal or broadcast, got {} and {}", name, describe(a),
             describe(b));
    }
    result[axis] = m == 1 ? n : m;
  }
  return result;
}

// The operand, repeated to the common shape by strides of 0.
Tensor spread(const Tensor& x, const Shape& shape) {
  return x.shape() == shape ? plain_handle(x) : x.detach().expand(shape);
}

// One element-wise operation on two operands.
Tensor binary(const char* name, const Operation& operation, const Tensor& a, const Tensor& b) {
  check_same_type(name, a, b);
  if (a.shape() == b.shape()) return run(operation, {a, b}, like(a));
  const Shape shape = broadcast(name, a, b);
  return run(operation, {spread(a, shape), spread(b, shape)}, {a.dtype(), shape});
}

}  // namespace
}  // namespace detail

Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor y = detail::binary("add", Operation(op::Add{}), a, b);
  if (!detail::records({a, b})) return y;
  return detail::record("add", {a, b}, y,
                        [sa = a.shape(), sb = b.shape()](const BackwardCall& call) {
                          std::vector<Tensor> grads(2);
                          if (call.needs(0)) grads[0] = detail::sum_to(call.gradient, sa);
                          if (call.needs(1)) grads[1] = detail::sum_to(call.gradient, sb);
                          return grads;
                        });
}

Tensor mul(const Tensor& a, const Tensor& b) {
  const Tensor y = detail::binary("mul", Operation(op::Mul{}), a, b);
  if (!detail::records({a, b})) return y;
  return detail::record(
      "mul", {a, b}, y, [a = SavedTensor(a), b = SavedTensor(b)](const BackwardCall& call) {
        std::vector<Tensor> grads(2);
        const Tensor &left = a.get("mul"), &right = b.get("mul");
        if (call.needs(0)) grads[0] = detail::sum_to(mul(call.gradient, right), left.shape());
        if (call.needs(1)) grads[1] = detail::sum_to(mul(call.gradient, left), right.shape());
        return grads;
      });
}

Tensor affine(const Tensor& x, double scale, double shift) {
  const DType type = detail::get(x, "affine").dtype;
  if (!is_floating(type) && (scale != std::floor(scale) || shift != std::floor(shift))) {
    detail::reject("affine: {} takes whole numbers, got scale {} and shift {}; cast() it first",
                   detail::describe(x), scale, shift);
  }
  const Tensor y = detail::run(Operation(op::Affine{}, {scale, shift}), {x}, detail::like(x));
  return detail::record("affine", {x}, y, [scale](const BackwardCall& call) {
    return std::vector{affine(call.gradient, scale, 0)};
  });
}

}  // namespace backplane
