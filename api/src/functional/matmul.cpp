// matmul and linear.
#include <array>

#include "functional/broadcast.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::reject;
using detail::SavedTensor;

namespace {

void check(const Tensor& a, const Tensor& b, const Tensor& bias) {
  detail::check_same_type("matmul", a, b);
  detail::check_floating("matmul", a);
  if (a.rank() == 0 || b.rank() == 0) {
    reject("matmul: operands expect an axis or more, got {} and {}", detail::describe(a),
           detail::describe(b));
  }
  if (a.size(-1) != b.size(b.rank() == 1 ? 0 : -2)) {
    reject("matmul: the left operand's columns must be the right one's rows, got {} and {}",
           detail::describe(a), detail::describe(b));
  }
  if (!bias.defined()) return;
  detail::check_same_type("matmul", a, bias);
  if (b.rank() != 2) {
    reject("matmul: with a bias the right operand expects 2 axes, got {}; add it afterwards",
           detail::describe(b));
  }
  if (bias.shape() != Shape{b.size(1)}) {
    reject("matmul: bias expects one value for each of {} columns, got {}", b.size(1),
           detail::describe(bias));
  }
}

// Without the last two axes.
Shape leading(const Shape& shape) {
  return Shape(std::span(shape.begin(), shape.rank() - 2));
}

Shape with_matrix(Shape shape, std::int64_t rows, std::int64_t columns) {
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

// The common leading axes of matrices.
Shape batch_of(const Tensor& a, const Tensor& b) {
  const std::array shapes{leading(a.shape()), leading(b.shape())};
  if (const auto batch = detail::common_shape(shapes)) return *batch;
  reject("matmul: leading axes must be equal or broadcast, got {} and {}", detail::describe(a),
         detail::describe(b));
}

// Of matrices, outside the graph.
Tensor product(const Tensor& a, const Tensor& b, const Tensor& bias = {}) {
  const Shape batch = batch_of(a, b);
  const auto spread = [&](const Tensor& x) {
    return x.detach().expand(with_matrix(batch, x.size(-2), x.size(-1)));
  };
  const detail::Output output{a.dtype(), with_matrix(batch, a.size(-2), b.size(-1))};
  const Operation matmul(op::Matmul{});
  return bias.defined() ? detail::run(matmul, {a, b, bias}, output)
                        : detail::run(matmul, {spread(a), spread(b)}, output);
}

// A matrix that came transposed, as linear's weight does, gets a gradient that lies the same way.
Tensor right_gradient(const Tensor& left, const Tensor& right, const Tensor& dy) {
  if (right.transpose(-2, -1).is_contiguous()) {
    return product(dy.transpose(-2, -1), left).transpose(-2, -1);
  }
  return product(left.transpose(-2, -1), dy);
}

// Of operands with two axes or more.
Tensor matrix_product(const Tensor& a, const Tensor& b, const Tensor& bias) {
  const Tensor y = product(a, b, bias);
  if (!detail::records({a, b, bias})) return y;
  return detail::record(
      "matmul", {a, b, bias}, y,
      [a = SavedTensor(a), b = SavedTensor(b)](const BackwardCall& call) {
        std::vector<Tensor> grads(3);
        const Tensor &dy = call.gradient, &left = a.get("matmul"), &right = b.get("matmul");
        if (call.needs(0)) {
          grads[0] = detail::sum_to(product(dy, right.transpose(-2, -1)), left.shape());
        }
        if (call.needs(1)) {
          grads[1] = detail::sum_to(right_gradient(left, right, dy), right.shape());
        }
        if (call.needs(2)) grads[2] = sum(dy, {0});
        return grads;
      });
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, const Tensor& bias) {
  check(a, b, bias);
  if (a.rank() == 1) return squeeze(matmul(unsqueeze(a, 0), b, bias), b.rank() == 1 ? 0 : -2);
  if (b.rank() == 1) return squeeze(matmul(a, unsqueeze(b, 1), bias), -1);
  if (a.rank() == 2 || b.rank() > 2) return matrix_product(a, b, bias);
  // One matrix on the right for all: the left ones are one of many rows.
  Shape shape = a.shape();
  shape[shape.rank() - 1] = b.size(1);
  return matrix_product(a.flatten(0, -2), b, bias).reshape(shape);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  detail::check_rank("linear", "weight", weight, 2);
  if (detail::get(x, "linear").shape.rank() == 0) {
    reject("linear: input expects an axis of features, got {}", detail::describe(x));
  }
  if (x.size(-1) != weight.size(1)) {
    reject("linear: weight expects {} input features, input has {} (input {}, weight {})",
           weight.size(1), x.size(-1), detail::describe(x), detail::describe(weight));
  }
  return matmul(x, weight.transpose(0, 1), bias);
}

}  // namespace backplane
