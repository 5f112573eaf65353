// add, sub, mul, div, pow, maximum, minimum, affine: element-wise with broadcasting.
#include <cmath>

#include "functional/broadcast.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::SavedTensor;

namespace {

// Joins the graph by left(dy), the gradient of a, and right(dy), that of b, which are summed where
// operands were repeated.
template <class Left, class Right>
Tensor record_binary(const char* name, const Tensor& a, const Tensor& b, const Tensor& y, Left left,
                     Right right) {
  if (!detail::records({a, b})) return y;
  return detail::record(name, {a, b}, y,
                        [sa = a.shape(), sb = b.shape(), left = std::move(left),
                         right = std::move(right)](const BackwardCall& call) {
                          std::vector<Tensor> grads(2);
                          if (call.needs(0)) grads[0] = detail::sum_to(left(call.gradient), sa);
                          if (call.needs(1)) grads[1] = detail::sum_to(right(call.gradient), sb);
                          return grads;
                        });
}

void check_divisible(const char* name, const Tensor& x) {
  if (!is_floating(detail::get(x, name).dtype)) {
    detail::reject("{}: expects floating types, got {}; cast() it, or its operands", name,
                   detail::describe(x));
  }
}

// What an operand gets of dy: nothing where it loses, half where there are ties, else all.
Tensor winners_share(const Tensor& dy, const Tensor& loses, const Tensor& ties) {
  return where(loses, detail::scalar_like("where", dy, 0), where(ties, dy * 0.5, dy));
}

// maximum and minimum; less(a, b) says where a loses.
template <class Less>
Tensor extremum(const char* name, const Operation& operation, const Tensor& a, const Tensor& b,
                Less less) {
  const Tensor y = detail::binary(name, operation, a, b);
  if (!detail::records({a, b})) return y;
  const SavedTensor sa(a), sb(b);
  const auto share = [name, less](const SavedTensor& own, const SavedTensor& other) {
    return [=](const Tensor& dy) {
      const Tensor &x = own.get(name), &rival = other.get(name);
      return winners_share(dy, less(x, rival), equal(x, rival));
    };
  };
  return record_binary(name, a, b, y, share(sa, sb), share(sb, sa));
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor y = detail::binary("add", Operation(op::Add{}), a, b);
  const auto same = [](const Tensor& dy) { return dy; };
  return record_binary("add", a, b, y, same, same);
}

Tensor sub(const Tensor& a, const Tensor& b) {
  const Tensor y = detail::binary("sub", Operation(op::Sub{}), a, b);
  return record_binary(
      "sub", a, b, y, [](const Tensor& dy) { return dy; },
      [](const Tensor& dy) { return neg(dy); });
}

Tensor mul(const Tensor& a, const Tensor& b) {
  const Tensor y = detail::binary("mul", Operation(op::Mul{}), a, b);
  if (!detail::records({a, b})) return y;
  return record_binary(
      "mul", a, b, y, [b = SavedTensor(b)](const Tensor& dy) { return mul(dy, b.get("mul")); },
      [a = SavedTensor(a)](const Tensor& dy) { return mul(dy, a.get("mul")); });
}

Tensor div(const Tensor& a, const Tensor& b) {
  check_divisible("div", a);
  const Tensor y = detail::binary("div", Operation(op::Div{}), a, b);
  if (!detail::records({a, b})) return y;
  return record_binary(
      "div", a, b, y, [b = SavedTensor(b)](const Tensor& dy) { return div(dy, b.get("div")); },
      [b = SavedTensor(b), y = SavedTensor(y)](const Tensor& dy) {
        return neg(div(dy, b.get("div")) * y.get("div"));
      });
}

// d a^b = b a^(b - 1) da + a^b ln(a) db, where 0 has no logarithm but a constant power.
Tensor pow(const Tensor& a, const Tensor& b) {
  check_divisible("pow", a);
  const Tensor y = detail::binary("pow", Operation(op::Pow{}), a, b);
  if (!detail::records({a, b})) return y;
  const SavedTensor sa(a), sb(b);
  return record_binary(
      "pow", a, b, y,
      [sa, sb](const Tensor& dy) {
        const Tensor &base = sa.get("pow"), &exponent = sb.get("pow");
        const Tensor zero = detail::scalar_like("pow", dy, 0);
        return where(equal(exponent, 0), zero, dy * (exponent * pow(base, exponent - 1)));
      },
      [sa, sb, sy = SavedTensor(y)](const Tensor& dy) {
        const Tensor &base = sa.get("pow"), &exponent = sb.get("pow");
        const Tensor constant = logical_and(equal(base, 0), greater_equal(exponent, 0));
        return where(constant, detail::scalar_like("pow", dy, 0), dy * (sy.get("pow") * log(base)));
      });
}

Tensor pow(const Tensor& x, double exponent) {
  check_divisible("pow", x);
  return pow(x, detail::scalar_like("pow", x, exponent));
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  return extremum("maximum", Operation(op::Maximum{}), a, b,
                  [](const Tensor& x, const Tensor& y) { return less(x, y); });
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  return extremum("minimum", Operation(op::Minimum{}), a, b,
                  [](const Tensor& x, const Tensor& y) { return greater(x, y); });
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

Tensor operator/(const Tensor& x, double divisor) {
  check_divisible("div", x);
  return div(x, detail::scalar_like("div", x, divisor));
}

Tensor operator/(double dividend, const Tensor& x) {
  check_divisible("div", x);
  return div(detail::scalar_like("div", x, dividend), x);
}

}  // namespace backplane
