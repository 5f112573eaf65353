// sum, mean, arg_max: reductions over axes.
#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;

namespace {

struct Reduced {
  std::uint32_t axes = 0;
  Shape kept;       // reduced axes have size 1
  Shape vanished;   // reduced axes are gone
  std::int64_t terms = 1;
};

Reduced reduce(const char* name, const Tensor& x, const std::vector<std::int64_t>& given) {
  const Shape& shape = detail::get(x, name).shape;
  Reduced result;
  for (const std::int64_t axis : given) result.axes |= 1u << shape.axis(axis, name);
  if (given.empty()) result.axes = (1u << shape.rank()) - 1;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const bool gone = (result.axes >> axis & 1) != 0;
    result.kept.push_back(gone ? 1 : shape[axis]);
    if (gone) result.terms *= shape[axis];
    if (!gone) result.vanished.push_back(shape[axis]);
  }
  return result;
}

// sum and mean differ in one factor of the gradient.
Tensor reduction(const char* name, const Operation& operation, const Tensor& x,
                 const Reduced& reduced, bool keep, double factor) {
  Tensor y = detail::run(operation, {x}, {x.dtype(), reduced.kept});
  if (!keep) y = y.reshape(reduced.vanished);
  return detail::record(
      name, {x}, y, [from = x.shape(), kept = reduced.kept, factor](const BackwardCall& call) {
        const Tensor dy = call.gradient.reshape(kept);
        return std::vector{(factor == 1 ? dy : affine(dy, factor, 0)).expand(from)};
      });
}

}  // namespace

Tensor sum(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  const Reduced reduced = reduce("sum", x, axes);
  return reduction("sum", Operation(op::Sum{reduced.axes}), x, reduced, keep, 1);
}

Tensor mean(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  detail::check_floating("mean", x);
  const Reduced reduced = reduce("mean", x, axes);
  return reduction("mean", Operation(op::Mean{reduced.axes}), x, reduced, keep,
                   1.0 / static_cast<double>(reduced.terms));
}

Tensor arg_max(const Tensor& x, std::int64_t given) {
  const Shape& shape = detail::get(x, "arg_max").shape;
  const std::size_t axis = shape.axis(given, "arg_max");
  if (shape[axis] == 0) {
    detail::reject("arg_max: axis {} of {} is empty, so nothing is largest", given,
                   detail::describe(x));
  }
  Shape kept = shape, vanished;
  kept[axis] = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != axis) vanished.push_back(shape[i]);
  }
  const Operation operation(op::ArgMax{static_cast<std::int32_t>(axis)});
  return detail::run(operation, {x}, {DType::i64, kept}).reshape(vanished);
}

}  // namespace backplane
