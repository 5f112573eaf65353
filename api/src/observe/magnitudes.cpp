// Sums of magnitudes: what rounding errors of linear operations are measured against.
#include "observe/magnitudes.hpp"

#include <algorithm>
#include <cmath>

#include "observe/reference_run.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

// Positions (labels, winners) keep their type and value.
Tensor absolute(const Tensor& host) {
  if (!is_floating(host.dtype())) return host;
  std::vector<double> values = as_doubles(host);
  for (double& value : values) value = std::abs(value);
  return tensor(values, host.shape(), {.device = Device::host()});
}

Operation with_absolute_scalars(const Operation& operation) {
  if (operation.as<op::Affine>() == nullptr) return operation;
  op::Affine::Scalars scalars;
  std::memcpy(&scalars, operation.scalars().data(), sizeof scalars);
  return Operation(op::Affine{}, {std::abs(scalars.scale), std::abs(scalars.shift)});
}

std::vector<Tensor> absolute(std::span<const Tensor> tensors) {
  std::vector<Tensor> results;
  for (const Tensor& host : tensors) results.push_back(host.defined() ? absolute(host) : host);
  return results;
}

double product(const Shape& shape, std::size_t first) {
  double result = 1;
  for (std::size_t axis = first; axis < shape.rank(); ++axis) {
    result *= static_cast<double>(shape[axis]);
  }
  return result;
}

double reduced(const Shape& shape, std::uint32_t axes) {
  double result = 1;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (axes >> axis & 1) result *= static_cast<double>(shape[axis]);
  }
  return result;
}

double ceil_of(std::int64_t dividend, std::int64_t divisor) {
  return std::ceil(static_cast<double>(dividend) / static_cast<double>(divisor));
}

// Along both axes of images, the product of terms(size in x, size in y).
template <class Terms>
double both_axes(const Shape& x, const Shape& y, const Terms& terms) {
  return terms(x[2], y[2]) * terms(x[3], y[3]);
}

// Poolings and interpolations, 0 for others: a weight is a quotient, or a product of two.
double resampled_terms(const BoundRequest& request) {
  constexpr double rounded_weight = 3;
  const Operation& operation = request.operation;
  const Shape &from = request.inputs[0].shape(), &to = request.expected[0].shape();
  if (const auto* pool = operation.as<op::AvgPool2d>()) {
    return static_cast<double>(pool->kernel[0]) * pool->kernel[1] + rounded_weight;
  }
  if (const auto* pool = operation.as<op::AvgPool2dBackward>()) {
    return ceil_of(pool->kernel[0], pool->stride[0]) * ceil_of(pool->kernel[1], pool->stride[1]) +
           rounded_weight;
  }
  if (operation.as<op::AdaptiveAvgPool2d>() || operation.as<op::AdaptiveAvgPool2dBackward>()) {
    const auto overlapping = [](auto in, auto out) { return ceil_of(in, out) + 1; };
    return both_axes(from, to, overlapping) + rounded_weight;
  }
  if (operation.as<op::Interpolate>()) return 4 + rounded_weight;
  if (operation.as<op::InterpolateBackward>()) {
    const auto touched = [](auto in, auto out) { return 2 * ceil_of(in, out) + 2; };
    return both_axes(from, to, touched) + rounded_weight;
  }
  return 0;
}

double operation_terms(const BoundRequest& request) {
  const Operation& operation = request.operation;
  const auto shape = [&](std::size_t input) -> const Shape& {
    return request.inputs[input].shape();
  };
  if (const auto* sum = operation.as<op::Sum>()) return reduced(shape(0), sum->axes);
  if (const auto* mean = operation.as<op::Mean>()) return reduced(shape(0), mean->axes) + 1;
  if (const auto* prod = operation.as<op::Prod>()) return reduced(shape(0), prod->axes);
  if (const auto* running = operation.as<op::Cumsum>()) {
    return static_cast<double>(shape(0)[static_cast<std::size_t>(running->axis)]);
  }
  if (operation.as<op::Affine>()) return 4;  // both scalars may be rounded first
  if (operation.as<op::Matmul>()) {
    return product(shape(0), shape(0).rank() - 1) + 1;  // and the bias
  }
  if (const auto* scatter = operation.as<op::ScatterAdd>()) {
    return static_cast<double>(shape(1)[static_cast<std::size_t>(scatter->axis)]) + 1;
  }
  if (operation.as<op::Conv2d>()) return product(shape(1), 1) + 1;
  if (operation.as<op::Conv2dReluMaxPool>()) return product(shape(1), 1) + 2;  // bias, mask
  if (const auto* fused = operation.as<op::Conv2dReluMaxPoolBackwardData>()) {
    return static_cast<double>(shape(2)[0] / fused->conv.groups) * product(shape(2), 2) +
           static_cast<double>(fused->pool_kernel[0]) * fused->pool_kernel[1];
  }
  if (const auto* fused = operation.as<op::Conv2dReluMaxPoolBackwardWeight>()) {
    return static_cast<double>(shape(1)[0]) * product(shape(1), 2) +
           static_cast<double>(fused->pool_kernel[0]) * fused->pool_kernel[1];
  }
  if (const auto* conv = operation.as<op::Conv2dBackwardData>()) {
    return static_cast<double>(shape(1)[0] / conv->groups) * product(shape(1), 2);
  }
  if (operation.as<op::Conv2dBackwardWeight>()) {
    return static_cast<double>(shape(1)[0]) * product(shape(1), 2);
  }
  if (const auto* pool = operation.as<op::MaxPool2dBackward>()) {
    return static_cast<double>(pool->kernel[0]) * pool->kernel[1];
  }
  return std::max(resampled_terms(request), 1.0);  // add, mul, copy, scale_shift
}

}  // namespace

double summed_terms(const BoundRequest& request) {
  return operation_terms(request) + (request.adds_to != 0 ? 1 : 0);
}

Bounds magnitudes(const BoundRequest& request) {
  Bounds sums;
  std::vector<TensorSpec> specs;
  bool floating = false;
  for (const Tensor& output : request.expected) {
    sums.emplace_back(static_cast<std::size_t>(output.count()), 0.0);
    floating |= is_floating(output.dtype());
    specs.push_back({.dtype = is_floating(output.dtype()) ? DType::f64 : output.dtype(),
                     .shape = output.shape()});
  }
  if (!floating) return sums;
  const std::vector<Tensor> results =
      run_on_reference(with_absolute_scalars(request.operation), absolute(request.inputs), specs,
                       request.adds_to, absolute(request.previous));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (is_floating(results[i].dtype())) sums[i] = as_doubles(results[i]);
  }
  return sums;
}

}  // namespace backplane::detail
