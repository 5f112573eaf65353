// concat, stack, split, chunk, narrow, squeeze, unsqueeze, pad, flip.
#include <cmath>

#include "backplane/autograd.hpp"
#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::describe;
using detail::reject;

namespace {

// A place for a new axis: as many as axes, and the end.
std::size_t new_axis(const char* name, const Tensor& x, std::int64_t axis) {
  const auto places = static_cast<std::int64_t>(detail::get(x, name).shape.rank()) + 1;
  if (axis < -places || axis >= places) {
    detail::fail(ErrorCode::out_of_range, "{}: a new axis {} is outside [{}, {}) of {}", name, axis,
                 -places, places, describe(x));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + places : axis);
}

// The result's shape, once the tensors are known to fit.
Shape concatenated(const std::vector<Tensor>& tensors, std::size_t axis) {
  const Tensor& first = tensors.front();
  Shape shape = first.shape();
  shape[axis] = 0;
  for (const Tensor& x : tensors) {
    detail::check_same_type("concat", first, x);
    if (x.device() != first.device()) {
      reject("concat: operands are on {} and {}; move one with to(device)", first.device().name(),
             x.device().name());
    }
    Shape other = x.shape();
    if (other.rank() == shape.rank()) {
      shape[axis] += other[axis];
      other[axis] = first.shape()[axis];
    }
    if (other != first.shape()) {
      reject("concat: shapes must be equal but for axis {}, got {} and {}", axis, describe(first),
             describe(x));
    }
  }
  return shape;
}

}  // namespace

Tensor concat(const std::vector<Tensor>& tensors, std::int64_t given) {
  if (tensors.empty()) reject("concat: there must be a tensor, got none");
  const std::size_t axis = detail::get(tensors.front(), "concat").shape.axis(given, "concat");
  const auto along = static_cast<std::int64_t>(axis);
  const Shape shape = concatenated(tensors, axis);
  const Tensor& first = tensors.front();
  const Tensor y = empty(shape, {.dtype = first.dtype(), .device = first.device()});
  std::vector<std::int64_t> sizes;
  std::int64_t begin = 0;
  for (const Tensor& x : tensors) {
    sizes.push_back(x.size(along));
    y.slice(along, begin, begin + sizes.back()).copy_from(x.detach());
    begin += sizes.back();
  }
  return detail::record("concat", tensors, y, [sizes, along](const BackwardCall& call) {
    return split(call.gradient, sizes, along);
  });
}

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t given) {
  if (tensors.empty()) reject("stack: there must be a tensor, got none");
  const Tensor& first = tensors.front();
  const auto axis = static_cast<std::int64_t>(new_axis("stack", first, given));
  std::vector<Tensor> layers;
  for (const Tensor& x : tensors) {
    if (detail::get(x, "stack").shape != first.shape()) {
      reject("stack: shapes must be equal, got {} and {}", describe(first), describe(x));
    }
    layers.push_back(unsqueeze(x, axis));
  }
  return concat(layers, axis);
}

std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& sizes,
                          std::int64_t axis) {
  const Shape& shape = detail::get(x, "split").shape;
  std::int64_t left = shape[shape.axis(axis, "split")];
  for (const std::int64_t size : sizes) {
    if (size < 0) reject("split: sizes can't be negative, got {}", size);
    left -= size;
  }
  if (left != 0) {
    reject("split: the sizes must add up to axis {} of {}, they are {} {}", axis, describe(x),
           left > 0 ? left : -left, left > 0 ? "short" : "too many");
  }
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(x.slice(axis, begin, begin + size));
    begin += size;
  }
  return parts;
}

std::vector<Tensor> chunk(const Tensor& x, std::int64_t count, std::int64_t axis) {
  if (count < 1) reject("chunk: there must be at least one part, got {}", count);
  const Shape& shape = detail::get(x, "chunk").shape;
  const std::int64_t length = shape[shape.axis(axis, "chunk")];
  const std::int64_t size = std::max<std::int64_t>((length + count - 1) / count, 1);
  std::vector<std::int64_t> sizes;
  for (std::int64_t begin = 0; begin < length; begin += size) {
    sizes.push_back(std::min(size, length - begin));
  }
  if (sizes.empty()) sizes.push_back(0);
  return split(x, sizes, axis);
}

Tensor narrow(const Tensor& x, std::int64_t axis, std::int64_t start, std::int64_t length) {
  if (length < 0) reject("narrow: the length can't be negative, got {}", length);
  return x.slice(axis, start, start + length);
}

Tensor squeeze(const Tensor& x, std::int64_t given) {
  const Shape& from = detail::get(x, "squeeze").shape;
  const std::size_t axis = from.axis(given, "squeeze");
  if (from[axis] != 1) {
    reject("squeeze: the axis must have size 1, axis {} of {} hasn't", given, describe(x));
  }
  Shape shape;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    if (i != axis) shape.push_back(from[i]);
  }
  return x.reshape(shape);
}

Tensor unsqueeze(const Tensor& x, std::int64_t given) {
  const std::size_t axis = new_axis("unsqueeze", x, given);
  Shape shape;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (i == axis) shape.push_back(1);
    shape.push_back(x.shape()[i]);
  }
  if (axis == x.rank()) shape.push_back(1);
  return x.reshape(shape);
}

namespace {

// The part of a padded tensor that is not padding.
Tensor inside(Tensor y, const Shape& shape, const std::vector<AxisPadding>& padding) {
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t begin = padding[axis].before;
    y = y.slice(static_cast<std::int64_t>(axis), begin, begin + shape[axis]);
  }
  return y;
}

}  // namespace

Tensor pad(const Tensor& x, const std::vector<AxisPadding>& padding, double value) {
  const Shape& from = detail::get(x, "pad").shape;
  if (padding.size() != from.rank()) {
    reject("pad: expects a padding for each axis, got {} for {}", padding.size(), describe(x));
  }
  if (!is_floating(x.dtype()) && value != std::floor(value)) {
    reject("pad: {} takes a whole number, got {}; cast() it first", describe(x), value);
  }
  Shape shape = from;
  for (std::size_t axis = 0; axis < from.rank(); ++axis) {
    const auto [before, after] = padding[axis];
    if (before < 0 || after < 0) {
      reject("pad: a padding can't be negative, got {} and {} for axis {}; slice() instead", before,
             after, axis);
    }
    shape[axis] += before + after;
  }
  const Tensor y = full(shape, value, {.dtype = x.dtype(), .device = x.device()});
  inside(y, from, padding).copy_from(x.detach());
  return detail::record("pad", {x}, y, [from, padding](const BackwardCall& call) {
    return std::vector{inside(call.gradient, from, padding)};
  });
}

Tensor flip(const Tensor& x, const std::vector<std::int64_t>& axes) {
  const Shape& shape = detail::get(x, "flip").shape;
  std::uint32_t bits = 0;
  for (const std::int64_t axis : axes) bits |= 1u << shape.axis(axis, "flip");
  const Operation operation(op::Flip{bits});
  return detail::record(
      "flip", {x}, detail::run(operation, {x}, detail::like(x)),
      [operation](const BackwardCall& call) {
        return std::vector{detail::run(operation, {call.gradient}, detail::like(call.gradient))};
      });
}

}  // namespace backplane
