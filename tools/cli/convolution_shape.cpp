// Which operands are the input and the weight.
#include "convolution_shape.hpp"

#include <algorithm>

namespace backplane::cli {
namespace {

cpu::ConvShape shape_of(const op::Conv2dParams& params, const Tensor& x, const Tensor& weight) {
  cpu::ConvShape shape{.images = x.size(0),
                       .channels = x.size(1),
                       .height = x.size(2),
                       .width = x.size(3),
                       .outputs = weight.size(0),
                       .groups = params.groups};
  for (int axis = 0; axis < 2; ++axis) {
    shape.kernel[axis] = weight.size(axis + 2);
    shape.stride[axis] = params.stride[axis];
    shape.dilation[axis] = params.dilation[axis];
  }
  std::copy_n(params.padding, 4, shape.padding);
  return shape;
}

}  // namespace

std::optional<cpu::ConvShape> convolution_shape(const Operation& operation,
                                                std::span<const Tensor> inputs,
                                                std::span<const Tensor> outputs) {
  if (const auto* conv = operation.as<op::Conv2d>()) return shape_of(*conv, inputs[0], inputs[1]);
  if (const auto* active = operation.as<op::Conv2dActivation>()) {
    return shape_of(*active, inputs[0], inputs[1]);
  }
  if (const auto* pooled = operation.as<op::Conv2dReluMaxPool>()) {
    return shape_of(pooled->conv, inputs[0], inputs[1]);
  }
  if (const auto* data = operation.as<op::Conv2dBackwardData>()) {
    return shape_of(*data, outputs[0], inputs[1]);
  }
  if (const auto* data = operation.as<op::Conv2dReluMaxPoolBackwardData>()) {
    return shape_of(data->conv, outputs[0], inputs[2]);
  }
  if (const auto* weight = operation.as<op::Conv2dBackwardWeight>()) {
    return shape_of(*weight, inputs[0], outputs[0]);
  }
  if (const auto* weight = operation.as<op::Conv2dReluMaxPoolBackwardWeight>()) {
    return shape_of(weight->conv, inputs[0], outputs[0]);
  }
  return std::nullopt;
}

}  // namespace backplane::cli
