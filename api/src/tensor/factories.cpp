// Making tensors: empty, filled, random, and from the program's values.
#include <limits>

#include "backplane/functional.hpp"
#include "backplane/plan.hpp"
#include "backplane/tensor.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "dispatch/dispatch.hpp"
#include "dispatch/planning.hpp"
#include "memory/transfer.hpp"
#include "random/generator.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {

using detail::reject;

namespace {

// Leaves room for the bytes of the widest type.
constexpr std::int64_t largest_count = std::numeric_limits<std::int64_t>::max() / 8;

void check_shape(const Shape& shape, std::string_view subject) {
  for (const std::int64_t size : shape) {
    if (size < 0) reject("{}: sizes can't be negative, shape {}", subject, to_string(shape));
  }
  if (shape.count() > largest_count) {
    reject("{}: shape {} has more elements than any device can address; use smaller sizes", subject,
           to_string(shape));
  }
}

void check_options(const TensorOptions& options, std::string_view subject) {
  if (options.requires_grad && !is_floating(options.dtype)) {
    reject("{}: only floating types have gradients, this is {}", subject,
           to_string(options.dtype));
  }
}

// Fills the elements of a fresh tensor before it takes part in a graph.
Tensor filled(const Shape& shape, const TensorOptions& options, const Operation& operation) {
  TensorOptions plain = options;
  plain.requires_grad = false;
  Tensor result = empty(shape, plain);
  detail::run_in_place(operation, {}, {&result, 1});
  return result.set_requires_grad(options.requires_grad);
}

}  // namespace

Tensor empty(const Shape& shape, const TensorOptions& options) {
  check_shape(shape, "empty");
  check_options(options, "empty");
  auto impl = std::make_shared<detail::TensorImpl>();
  const auto bytes = static_cast<std::uint64_t>(shape.count()) * size_of(options.dtype);
  impl->storage = std::make_shared<detail::Storage>(options.device.state(), bytes);
  impl->shape = shape;
  impl->strides = row_major(shape);
  impl->dtype = options.dtype;
  return Tensor(std::move(impl)).set_requires_grad(options.requires_grad);
}

Tensor empty(const TensorSpec& spec, Device device) {
  check_shape(spec.shape, "empty");
  if (spec.layout == BP_LAYOUT_ANY) {
    reject("empty: the layout 'any' is a plan's to choose; take the spec from its outputs()");
  }
  if (spec.layout != BP_LAYOUT_STRIDED && device.is_host()) {
    reject("empty: the host has strided tensors only, the spec has the private layout {}",
           spec.layout);
  }
  const bp_tensor_desc desc = detail::describe_spec(spec);
  auto impl = std::make_shared<detail::TensorImpl>();
  impl->storage =
      std::make_shared<detail::Storage>(device.state(), detail::bytes_of(device.state(), desc));
  impl->shape = spec.shape;
  impl->strides = Strides(std::span(desc.strides, desc.rank));
  impl->dtype = spec.dtype;
  impl->layout = spec.layout;
  return Tensor(std::move(impl));
}

Tensor full(const Shape& shape, double value, const TensorOptions& options) {
  check_options(options, "full");
  if (!options.device.is_host()) return filled(shape, options, Operation(op::Fill{}, {value}));
  TensorOptions plain = options;
  plain.requires_grad = false;
  Tensor result = empty(shape, plain);
  result.fill(value);
  return result.set_requires_grad(options.requires_grad);
}

Tensor zeros(const Shape& shape, const TensorOptions& options) { return full(shape, 0, options); }
Tensor ones(const Shape& shape, const TensorOptions& options) { return full(shape, 1, options); }

Tensor uniform(const Shape& shape, float low, float high, const TensorOptions& options) {
  if (!(low <= high)) reject("uniform: expects low <= high, got [{}, {})", low, high);
  if (!is_floating(options.dtype)) {
    reject("uniform: makes floating types, not {}; cast the result", to_string(options.dtype));
  }
  return filled(shape, options, Operation(op::Uniform{}, {detail::next_draw(), low, high}));
}

Tensor normal(const Shape& shape, float mean, float deviation, const TensorOptions& options) {
  if (!(deviation >= 0)) reject("normal: expects a deviation >= 0, got {}", deviation);
  if (!is_floating(options.dtype)) {
    reject("normal: makes floating types, not {}; cast the result", to_string(options.dtype));
  }
  return filled(shape, options, Operation(op::Normal{}, {detail::next_draw(), mean, deviation}));
}

template <class T>
Tensor tensor(std::span<const T> values, const Shape& shape, const TensorOptions& options) {
  check_shape(shape, "tensor");
  if (static_cast<std::int64_t>(values.size()) != shape.count()) {
    reject("tensor: {} values don't fill shape {} of {} elements", values.size(),
           to_string(shape), shape.count());
  }
  Tensor result = empty(shape, {.dtype = dtype_of<T>, .device = options.device});
  detail::upload(*result.impl()->storage, 0, values.data(), values.size_bytes());
  if (options.requires_grad) result.set_requires_grad();
  return result;
}

template Tensor tensor(std::span<const float>, const Shape&, const TensorOptions&);
template Tensor tensor(std::span<const double>, const Shape&, const TensorOptions&);
template Tensor tensor(std::span<const std::int8_t>, const Shape&, const TensorOptions&);
template Tensor tensor(std::span<const std::uint8_t>, const Shape&, const TensorOptions&);
template Tensor tensor(std::span<const std::uint16_t>, const Shape&, const TensorOptions&);
template Tensor tensor(std::span<const std::int32_t>, const Shape&, const TensorOptions&);
template Tensor tensor(std::span<const std::int64_t>, const Shape&, const TensorOptions&);

Tensor tensor(std::initializer_list<float> values, const TensorOptions& options) {
  return tensor(std::span<const float>(values.begin(), values.size()),
                {static_cast<std::int64_t>(values.size())}, options);
}

}  // namespace backplane
