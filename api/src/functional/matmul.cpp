// matmul and linear.
#include <array>

#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::reject;
using detail::SavedTensor;

namespace {

void check(const char* name, const Tensor& a, const Tensor& b, const Tensor& bias) {
  detail::check_same_type(name, a, b);
  detail::check_floating(name, a);
  detail::check_rank(name, "the left operand", a, 2);
  detail::check_rank(name, "the right operand", b, 2);
  if (a.size(1) != b.size(0)) {
    reject("{}: the left operand's columns must be the right one's rows, got {} and {}", name,
           detail::describe(a), detail::describe(b));
  }
  if (!bias.defined()) return;
  detail::check_same_type(name, a, bias);
  if (bias.shape() != Shape{b.size(1)}) {
    reject("{}: bias expects one value for each of {} columns, got {}", name, b.size(1),
           detail::describe(bias));
  }
}

Tensor product(const Tensor& a, const Tensor& b) {
  return detail::run(Operation(op::Matmul{}), {a, b}, {a.dtype(), {a.size(0), b.size(1)}});
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, const Tensor& bias) {
  check("matmul", a, b, bias);
  const detail::Output output{a.dtype(), {a.size(0), b.size(1)}};
  const Tensor y = bias.defined() ? detail::run(Operation(op::Matmul{}), {a, b, bias}, output)
                                  : detail::run(Operation(op::Matmul{}), {a, b}, output);
  if (!detail::records({a, b, bias})) return y;
  return detail::record(
      "matmul", {a, b, bias}, y, [a = SavedTensor(a), b = SavedTensor(b)](const BackwardCall& call) {
        std::vector<Tensor> grads(3);
        const Tensor& dy = call.gradient;
        if (call.needs(0)) grads[0] = product(dy, b.get("matmul").transpose(0, 1));
        if (call.needs(1)) grads[1] = product(a.get("matmul").transpose(0, 1), dy);
        if (call.needs(2)) grads[2] = sum(dy, {0});
        return grads;
      });
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  detail::check_rank("linear", "input", x, 2);
  detail::check_rank("linear", "weight", weight, 2);
  if (x.size(1) != weight.size(1)) {
    reject("linear: weight expects {} input features, input has {} (input {}, weight {})",
           weight.size(1), x.size(1), detail::describe(x), detail::describe(weight));
  }
  return matmul(x, weight.transpose(0, 1), bias);
}

}  // namespace backplane
