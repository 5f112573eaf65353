// Convolutions put to the cost model of kernels/cpu.
#include "explain_convolution.hpp"

#include <algorithm>
#include <optional>

#include "convolution_shape.hpp"
#include "cpu/conv_cost.h"

namespace backplane::cli {
namespace {

// The convolution that the gradient for the input is, where the model knows it as one.
std::optional<cpu::ConvShape> turned(const cpu::ConvShape& forward) {
  if (forward.stride[0] != 1 || forward.stride[1] != 1 || forward.groups != 1) return std::nullopt;
  const cpu::ConvShape shape = cpu::shape_of_backward_data(forward);
  const bool fits = std::ranges::all_of(shape.padding, [](std::int64_t side) { return side >= 0; });
  return fits ? std::optional(shape) : std::nullopt;
}

// The pool that comes with it, if its windows are squares side by side; 0: another one.
std::int64_t pool_of(const Operation& operation) {
  const auto* pooled = operation.as<op::Conv2dReluMaxPool>();
  if (pooled == nullptr) return 1;
  const std::int32_t size = pooled->pool_kernel[0];
  const bool squares = pooled->pool_kernel[1] == size && pooled->pool_stride[0] == size &&
                       pooled->pool_stride[1] == size;
  return squares ? size : 0;
}

}  // namespace

std::string explain_convolution(const Operation& operation, std::span<const Tensor> inputs,
                                std::span<const Tensor> outputs, Numerics numerics) {
  if (operation.as<op::Conv2dBackwardWeight>() ||
      operation.as<op::Conv2dReluMaxPoolBackwardWeight>()) {
    return "";
  }
  std::optional<cpu::ConvShape> shape = convolution_shape(operation, inputs, outputs);
  if (shape && (operation.as<op::Conv2dBackwardData>() ||
                operation.as<op::Conv2dReluMaxPoolBackwardData>())) {
    shape = turned(*shape);
  }
  if (!shape || pool_of(operation) == 0) return "";
  shape->images = (shape->images + threads() - 1) / threads();
  return cpu::explain(cpu::conv_costs({.shape = *shape,
                                       .lanes = cpu::vector_lanes(),
                                       .strict = numerics == Numerics::strict,
                                       .pool = pool_of(operation)}));
}

}  // namespace backplane::cli
