// Convolutions put to the cost model of kernels/cpu.
#include "explain_convolution.hpp"

#include <algorithm>
#include <optional>

#include "cpu/conv_cost.h"

namespace backplane::cli {
namespace {

cpu::ConvShape shape_of(const op::Conv2dParams& params, const Shape& src, const Shape& weight,
                        std::int64_t outputs) {
  cpu::ConvShape shape{.images = src[0],
                       .channels = src[1],
                       .height = src[2],
                       .width = src[3],
                       .outputs = outputs,
                       .groups = params.groups};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    shape.kernel[axis] = weight[axis + 2];
    shape.stride[axis] = params.stride[axis];
    shape.dilation[axis] = params.dilation[axis];
  }
  std::copy_n(params.padding, 4, shape.padding);
  return shape;
}

// With a stride of 1, the gradient for the input is the convolution of dy with the weight turned
// round, padded by what the kernel reaches beyond its own padding.
std::optional<cpu::ConvShape> backward_data_shape(const op::Conv2dParams& params, const Shape& dy,
                                                  const Shape& weight) {
  if (params.stride[0] != 1 || params.stride[1] != 1 || params.groups != 1) return std::nullopt;
  cpu::ConvShape shape = shape_of(params, dy, weight, weight[1]);
  for (std::size_t side = 0; side < 4; ++side) {
    const std::size_t axis = side % 2;
    const std::int64_t reach = shape.dilation[axis] * (shape.kernel[axis] - 1);
    if (params.padding[side] > reach) return std::nullopt;
    shape.padding[side] = reach - params.padding[side];
  }
  return shape;
}

}  // namespace

std::string explain_convolution(const Operation& operation, std::span<const Tensor> inputs,
                                Numerics numerics) {
  std::optional<cpu::ConvShape> shape;
  if (const auto* conv2d = operation.as<op::Conv2d>()) {
    const Shape& weight = inputs[1].shape();
    shape = shape_of(*conv2d, inputs[0].shape(), weight, weight[0]);
  } else if (const auto* backward = operation.as<op::Conv2dBackwardData>()) {
    shape = backward_data_shape(*backward, inputs[0].shape(), inputs[1].shape());
  }
  if (!shape) return "";
  shape->images = (shape->images + threads() - 1) / threads();
  return cpu::explain(cpu::conv_costs(
      {.shape = *shape, .lanes = cpu::vector_lanes(), .strict = numerics == Numerics::strict}));
}

}  // namespace backplane::cli
