// sum, mean, prod, max, min, any, all, arg_max, arg_min: reductions over axes.
#include "functional/reduction.hpp"

#include "functional/broadcast.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::reduce;
using detail::Reduced;
using detail::SavedTensor;

namespace detail {

Reduced reduce(const char* name, const Tensor& x, const std::vector<std::int64_t>& given) {
  const Shape& shape = get(x, name).shape;
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

}  // namespace detail

namespace {

Tensor run_reduced(const Operation& operation, const Tensor& x, const Reduced& reduced) {
  return detail::run(operation, {x}, {x.dtype(), reduced.kept});
}

Tensor shaped(const Tensor& y, const Reduced& reduced, bool keep) {
  return keep ? y : y.reshape(reduced.vanished);
}

// sum and mean differ in one factor of the gradient.
Tensor total(const char* name, const Operation& operation, const Tensor& x, const Reduced& reduced,
             bool keep, double factor) {
  const Tensor y = shaped(run_reduced(operation, x, reduced), reduced, keep);
  return detail::record(
      name, {x}, y, [from = x.shape(), kept = reduced.kept, factor](const BackwardCall& call) {
        const Tensor dy = call.gradient.reshape(kept);
        return std::vector{(factor == 1 ? dy : affine(dy, factor, 0)).expand(from)};
      });
}

// max and min. The gradient is shared evenly among the elements that are the extremum; a NaN is
// none, as it equals nothing.
template <class Op>
Tensor extremum(const char* name, const char* superlative, const Tensor& x,
                const std::vector<std::int64_t>& axes, bool keep) {
  const Reduced reduced = reduce(name, x, axes);
  if (reduced.terms == 0 && reduced.kept.count() != 0) {
    detail::reject("{}: there are no elements over the axes of {}, so nothing is {}", name,
                   detail::describe(x), superlative);
  }
  const Tensor extreme = run_reduced(Operation(Op{reduced.axes}), x, reduced);
  const Tensor y = shaped(extreme, reduced, keep);
  if (!detail::records({x})) return y;
  return detail::record(
      name, {x}, y,
      [name, reduced, x = SavedTensor(x), y = SavedTensor(extreme)](const BackwardCall& call) {
        const Tensor dy = call.gradient.reshape(reduced.kept);
        const Tensor winners = equal(x.get(name), y.get(name));
        const Operation count(op::Sum{reduced.axes});
        const Tensor share = dy / run_reduced(count, cast(winners, dy.dtype()), reduced);
        return std::vector{where(winners, share, detail::scalar_like(name, dy, 0))};
      });
}

// any and all: the maximum and the minimum of truth values, which have one over no elements too.
template <class Reduce>
Tensor quantified(const char* name, const Tensor& x, const std::vector<std::int64_t>& axes,
                  bool keep, double of_none, Reduce reduce_truths) {
  const Reduced reduced = reduce(name, x, axes);
  if (reduced.terms == 0) {
    return full(keep ? reduced.kept : reduced.vanished, of_none,
                {.dtype = DType::u8, .device = x.device()});
  }
  return reduce_truths(not_equal(x.detach(), 0));
}

Tensor position(const char* name, const char* superlative, const Operation& operation,
                const Tensor& x, std::size_t axis, std::int64_t given) {
  const Shape& shape = x.shape();
  if (shape[axis] == 0) {
    detail::reject("{}: axis {} of {} is empty, so nothing is {}", name, given, detail::describe(x),
                   superlative);
  }
  Shape kept = shape, vanished;
  kept[axis] = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != axis) vanished.push_back(shape[i]);
  }
  return detail::run(operation, {x}, {DType::i64, kept}).reshape(vanished);
}

}  // namespace

Tensor sum(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  const Reduced reduced = reduce("sum", x, axes);
  return total("sum", Operation(op::Sum{reduced.axes}), x, reduced, keep, 1);
}

Tensor mean(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  detail::check_floating("mean", x);
  const Reduced reduced = reduce("mean", x, axes);
  return total("mean", Operation(op::Mean{reduced.axes}), x, reduced, keep,
               1.0 / static_cast<double>(reduced.terms));
}

// The gradient of one factor is the product of the others: what is left of the product without the
// zeros, and only where no other factor is a zero.
Tensor prod(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  const Reduced reduced = reduce("prod", x, axes);
  const Operation operation(op::Prod{reduced.axes});
  const Tensor y = shaped(run_reduced(operation, x, reduced), reduced, keep);
  if (!detail::records({x})) return y;
  return detail::record(
      "prod", {x}, y, [operation, reduced, x = SavedTensor(x)](const BackwardCall& call) {
        const Tensor &factors = x.get("prod"), dy = call.gradient.reshape(reduced.kept);
        const Tensor is_zero = equal(factors, 0);
        const Tensor nonzero = where(is_zero, detail::scalar_like("prod", dy, 1), factors);
        const Tensor product = run_reduced(operation, nonzero, reduced);
        const Tensor zeros = cast(is_zero, dy.dtype());
        const Operation count(op::Sum{reduced.axes});
        const Tensor no_other = equal(run_reduced(count, zeros, reduced), zeros);
        return std::vector{
            where(no_other, dy * (product / nonzero), detail::scalar_like("prod", dy, 0))};
      });
}

Tensor max(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return extremum<op::Max>("max", "largest", x, axes, keep);
}

Tensor min(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return extremum<op::Min>("min", "smallest", x, axes, keep);
}

Tensor any(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return quantified("any", x, axes, keep, 0,
                    [&](const Tensor& truths) { return max(truths, axes, keep); });
}

Tensor all(const Tensor& x, std::vector<std::int64_t> axes, bool keep) {
  return quantified("all", x, axes, keep, 1,
                    [&](const Tensor& truths) { return min(truths, axes, keep); });
}

Tensor arg_max(const Tensor& x, std::int64_t axis) {
  const std::size_t along = detail::get(x, "arg_max").shape.axis(axis, "arg_max");
  return position("arg_max", "largest", Operation(op::ArgMax{static_cast<std::int32_t>(along)}), x,
                  along, axis);
}

Tensor arg_min(const Tensor& x, std::int64_t axis) {
  const std::size_t along = detail::get(x, "arg_min").shape.axis(axis, "arg_min");
  return position("arg_min", "smallest", Operation(op::ArgMin{static_cast<std::int32_t>(along)}), x,
                  along, axis);
}

}  // namespace backplane
