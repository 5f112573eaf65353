// Views: the same memory under another shape. Each is recorded, so gradients flow through.
#include <algorithm>
#include <limits>
#include <optional>

#include "autograd/record.hpp"
#include "backplane/functional.hpp"
#include "backplane/tensor.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {

using detail::get;
using detail::reject;

namespace detail {

Tensor strided(const Tensor& tensor) {
  if (get(tensor, "strided").layout == BP_LAYOUT_STRIDED) return tensor;
  return tensor.clone();
}

}  // namespace detail

namespace {

// Replaces the one -1 of a wanted shape.
Shape infer_shape(const Tensor& tensor, const Shape& wanted) {
  Shape shape = wanted;
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == -1 && !open) {
      open = axis;
    } else if (shape[axis] < 0) {
      reject("reshape: sizes can't be negative and only one can be -1, shape {}",
             to_string(wanted));
    } else if (__builtin_mul_overflow(known, shape[axis], &known)) {
      known = std::numeric_limits<std::int64_t>::max();
    }
  }
  if (open && known != 0 && tensor.count() % known == 0) shape[*open] = tensor.count() / known;
  if (shape.count() != tensor.count() || (open && shape[*open] < 0)) {
    reject("reshape: {} has {} elements, shape {} doesn't", detail::describe(tensor),
           tensor.count(), to_string(wanted));
  }
  return shape;
}

// Strides under which the same elements in the same order have another shape; none if the elements
// don't lie regularly enough. Axes are matched from the last to the first.
std::optional<Strides> restride(const Shape& shape, const Strides& strides, const Shape& wanted) {
  if (shape.count() == 0) return row_major(wanted);
  Shape sizes;
  Strides steps;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;  // says nothing about where elements lie
    sizes.push_back(shape[axis]);
    steps.push_back(strides[axis]);
  }
  Strides result = wanted;
  std::size_t axis = wanted.rank();
  for (std::size_t last = sizes.rank(); last > 0;) {
    std::size_t first = last - 1;
    std::int64_t run = sizes[first];
    while (first > 0 && steps[first - 1] == sizes[first] * steps[first]) run *= sizes[--first];
    std::int64_t stride = steps[last - 1], covered = 1;
    while (axis > 0 && covered < run) {
      result[--axis] = stride;
      stride *= wanted[axis];
      covered *= wanted[axis];
    }
    if (covered != run) return std::nullopt;
    last = first;
  }
  while (axis > 0) result[--axis] = 1;  // what is left has size 1
  return result;
}

}  // namespace

Tensor Tensor::reshape(const Shape& wanted) const {
  get(*this, "reshape");
  const Shape shape = infer_shape(*this, wanted);
  if (shape == this->shape()) return *this;
  Tensor base = detail::strided(*this);
  auto strides = restride(base.shape(), base.strides(), shape);
  if (!strides) {
    base = base.contiguous();
    strides = row_major(shape);
  }
  const detail::TensorImpl& impl = *base.impl();
  const Tensor view = detail::view_of(impl, shape, *strides, impl.offset);
  return detail::record("reshape", {base}, view, [from = base.shape()](const auto& backward) {
    return std::vector{backward.gradient.reshape(from)};
  });
}

Tensor Tensor::flatten(std::int64_t first, std::int64_t last) const {
  const Shape& from = get(*this, "flatten").shape;
  if (from.rank() == 0) return reshape({1});
  const std::size_t begin = from.axis(first, "flatten"), end = from.axis(last, "flatten");
  if (begin > end) reject("flatten: the first axis {} comes after the last {}", first, last);
  Shape shape;
  std::int64_t run = 1;
  for (std::size_t axis = 0; axis < from.rank(); ++axis) {
    if (axis < begin || axis > end) shape.push_back(from[axis]);
    if (axis >= begin && axis <= end) run *= from[axis];
    if (axis == end) shape.push_back(run);
  }
  return reshape(shape);
}

Tensor Tensor::permute(std::initializer_list<std::int64_t> axes) const {
  get(*this, "permute");
  const Tensor base = detail::strided(*this);
  const detail::TensorImpl& impl = *base.impl();
  if (axes.size() != impl.shape.rank()) {
    reject("permute: {} axes given for {}", axes.size(), detail::describe(*this));
  }
  Shape shape, order;
  Strides strides, inverse = impl.shape;
  for (const std::int64_t given : axes) {
    const std::size_t axis = impl.shape.axis(given, "permute");
    if (std::find(order.begin(), order.end(), static_cast<std::int64_t>(axis)) != order.end()) {
      reject("permute: axis {} is given twice", given);
    }
    inverse[axis] = static_cast<std::int64_t>(order.rank());
    order.push_back(static_cast<std::int64_t>(axis));
    shape.push_back(impl.shape[axis]);
    strides.push_back(impl.strides[axis]);
  }
  const Tensor view = detail::view_of(impl, shape, strides, impl.offset);
  return detail::record("permute", {base}, view, [inverse](const auto& backward) {
    const Tensor dy = detail::strided(backward.gradient);
    Shape back;
    Strides back_strides;
    for (const std::int64_t axis : inverse) {
      back.push_back(dy.shape()[static_cast<std::size_t>(axis)]);
      back_strides.push_back(dy.strides()[static_cast<std::size_t>(axis)]);
    }
    return std::vector{detail::view_of(*dy.impl(), back, back_strides, dy.impl()->offset)};
  });
}

Tensor Tensor::transpose(std::int64_t a, std::int64_t b) const {
  get(*this, "transpose");
  const Tensor base = detail::strided(*this);
  const detail::TensorImpl& impl = *base.impl();
  const std::size_t first = impl.shape.axis(a, "transpose"), second = impl.shape.axis(b, "transpose");
  Shape shape = impl.shape;
  Strides strides = impl.strides;
  std::swap(shape[first], shape[second]);
  std::swap(strides[first], strides[second]);
  const Tensor view = detail::view_of(impl, shape, strides, impl.offset);
  return detail::record("transpose", {base}, view, [a, b](const auto& backward) {
    return std::vector{backward.gradient.transpose(a, b)};
  });
}

Tensor Tensor::slice(std::int64_t axis, std::int64_t begin, std::int64_t end,
                     std::int64_t step) const {
  get(*this, "slice");
  const Tensor base = detail::strided(*this);
  const detail::TensorImpl& impl = *base.impl();
  const std::size_t at = impl.shape.axis(axis, "slice");
  if (begin < 0 || begin > end || end > impl.shape[at]) {
    detail::fail(ErrorCode::out_of_range, "slice: [{}, {}) is outside axis {} of {}", begin, end,
                 axis, detail::describe(*this));
  }
  if (step < 1) reject("slice: the step must be at least 1, is {}", step);
  Shape shape = impl.shape;
  Strides strides = impl.strides;
  shape[at] = (end - begin + step - 1) / step;
  strides[at] *= step;
  const Tensor view =
      detail::view_of(impl, shape, strides, impl.offset + begin * impl.strides[at]);
  return detail::record(
      "slice", {base}, view, [from = impl.shape, axis, begin, end, step](const auto& backward) {
        const Tensor& dy = backward.gradient;
        Tensor whole = zeros(from, {.dtype = dy.dtype(), .device = dy.device()});
        whole.slice(axis, begin, end, step).copy_from(dy);
        return std::vector{whole};
      });
}

Tensor Tensor::expand(const Shape& wanted) const {
  get(*this, "expand");
  if (wanted == shape()) return *this;
  const Tensor base = detail::strided(*this);
  const detail::TensorImpl& impl = *base.impl();
  const std::size_t rank = impl.shape.rank();
  if (wanted.rank() < rank) {
    reject("expand: shape {} has fewer axes than {}", to_string(wanted), detail::describe(*this));
  }
  Strides strides = wanted;
  const std::size_t shift = wanted.rank() - rank;
  for (std::size_t axis = 0; axis < wanted.rank(); ++axis) {
    const std::int64_t size = axis < shift ? 1 : impl.shape[axis - shift];
    if (wanted[axis] < 0 || (size != 1 && size != wanted[axis])) {
      reject("expand: only sizes of 1 repeat, {} doesn't go to {}", detail::describe(*this),
             to_string(wanted));
    }
    strides[axis] = size == 1 && wanted[axis] != 1 ? 0 : axis < shift ? 0 : impl.strides[axis - shift];
  }
  const Tensor view = detail::view_of(impl, wanted, strides, impl.offset);
  return detail::record("expand", {base}, view, [from = impl.shape](const auto& backward) {
    return std::vector{detail::sum_to(backward.gradient, from)};
  });
}

}  // namespace backplane
