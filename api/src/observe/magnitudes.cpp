// Sums of magnitudes: what rounding errors of linear operations are measured against.
#include "observe/magnitudes.hpp"

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
  if (const auto* conv = operation.as<op::Conv2dBackwardData>()) {
    return static_cast<double>(shape(1)[0] / conv->groups) * product(shape(1), 2);
  }
  if (operation.as<op::Conv2dBackwardWeight>()) {
    return static_cast<double>(shape(1)[0]) * product(shape(1), 2);
  }
  if (const auto* pool = operation.as<op::MaxPool2dBackward>()) {
    return static_cast<double>(pool->kernel[0]) * pool->kernel[1];
  }
  return 1;  // add, mul, copy
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
    specs.push_back({.dtype = DType::f64, .shape = output.shape()});
  }
  if (!floating) return sums;
  const std::vector<Tensor> results =
      run_on_reference(with_absolute_scalars(request.operation), absolute(request.inputs), specs,
                       request.adds_to, absolute(request.previous));
  for (std::size_t i = 0; i < results.size(); ++i) sums[i] = as_doubles(results[i]);
  return sums;
}

}  // namespace backplane::detail
