// Comparisons, logic, and the choice between two tensors.
#include "functional/broadcast.hpp"

namespace backplane {

using detail::predicate;
using detail::scalar_like;

namespace {

void check_truth(const char* name, const Tensor& x) {
  if (detail::get(x, name).dtype != DType::u8) {
    detail::reject(
        "{}: expects u8, the type of truth values, got {}; compare it, as in "
        "not_equal(x, 0)",
        name, detail::describe(x));
  }
}

// relation(b, a). Messages name the operands in the caller's order.
Tensor swapped(const char* name, const Operation& relation, const Tensor& a, const Tensor& b) {
  detail::check_same_type(name, a, b);
  static_cast<void>(detail::broadcast(name, {a, b}));
  return predicate(name, relation, b, a);
}

Tensor logical(const char* name, const Operation& operation, const Tensor& a, const Tensor& b) {
  check_truth(name, a);
  check_truth(name, b);
  return detail::binary(name, operation, a, b);
}

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) {
  return predicate("equal", Operation(op::Equal{}), a, b);
}

Tensor not_equal(const Tensor& a, const Tensor& b) {
  return predicate("not_equal", Operation(op::NotEqual{}), a, b);
}

Tensor less(const Tensor& a, const Tensor& b) {
  return predicate("less", Operation(op::Less{}), a, b);
}

Tensor less_equal(const Tensor& a, const Tensor& b) {
  return predicate("less_equal", Operation(op::LessEqual{}), a, b);
}

Tensor greater(const Tensor& a, const Tensor& b) {
  return swapped("greater", Operation(op::Less{}), a, b);
}

Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return swapped("greater_equal", Operation(op::LessEqual{}), a, b);
}

Tensor equal(const Tensor& x, double value) {
  return equal(x, scalar_like("equal", x, value));
}

Tensor not_equal(const Tensor& x, double value) {
  return not_equal(x, scalar_like("not_equal", x, value));
}

Tensor less(const Tensor& x, double value) {
  return less(x, scalar_like("less", x, value));
}

Tensor less_equal(const Tensor& x, double value) {
  return less_equal(x, scalar_like("less_equal", x, value));
}

Tensor greater(const Tensor& x, double value) {
  return greater(x, scalar_like("greater", x, value));
}

Tensor greater_equal(const Tensor& x, double value) {
  return greater_equal(x, scalar_like("greater_equal", x, value));
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  return logical("logical_and", Operation(op::LogicalAnd{}), a, b);
}

Tensor logical_or(const Tensor& a, const Tensor& b) {
  return logical("logical_or", Operation(op::LogicalOr{}), a, b);
}

Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return logical("logical_xor", Operation(op::LogicalXor{}), a, b);
}

Tensor logical_not(const Tensor& x) {
  check_truth("logical_not", x);
  return equal(x, 0);
}

// A NaN alone differs from itself; of the rest, infinities alone have no difference.
Tensor is_nan(const Tensor& x) {
  return predicate("is_nan", Operation(op::NotEqual{}), x, x);
}

Tensor is_finite(const Tensor& x) {
  const Tensor difference = detail::binary("is_finite", Operation(op::Sub{}), x, x);
  return predicate("is_finite", Operation(op::Equal{}), difference, difference);
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_truth("where", condition);
  detail::check_same_type("where", a, b);
  const Shape shape = detail::broadcast("where", {condition, a, b});
  const Tensor y = detail::run(
      Operation(op::Where{}),
      {detail::spread(condition, shape), detail::spread(a, shape), detail::spread(b, shape)},
      {a.dtype(), shape});
  if (!detail::records({a, b})) return y;
  return detail::record("where", {a, b}, y,
                        [chosen = detail::SavedTensor(condition), sa = a.shape(),
                         sb = b.shape()](const detail::BackwardCall& call) {
                          const Tensor& mask = chosen.get("where");
                          const Tensor zero = scalar_like("where", call.gradient, 0);
                          std::vector<Tensor> grads(2);
                          if (call.needs(0)) {
                            grads[0] = detail::sum_to(where(mask, call.gradient, zero), sa);
                          }
                          if (call.needs(1)) {
                            grads[1] = detail::sum_to(where(mask, zero, call.gradient), sb);
                          }
                          return grads;
                        });
}

}  // namespace backplane
