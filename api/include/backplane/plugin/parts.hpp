// What fused operations are made of, for those who compute them, or judge them, by their parts.
#pragma once

#include "backplane/plugin/steps.hpp"

namespace backplane::plugin {

[[nodiscard]] inline op::MaxPool2dParams pool_of(const op::Conv2dReluMaxPoolParams& params) {
  const auto &kernel = params.pool_kernel, &stride = params.pool_stride;
  const auto& padding = params.pool_padding;
  return {{kernel[0], kernel[1]},
          {stride[0], stride[1]},
          {padding[0], padding[1], padding[2], padding[3]},
          {1, 1}};
}

// The convolution's result, in a layout that is still open. Parameters that contradict the dims give
// an axis of 0: the convolution's own checks say what is wrong.
[[nodiscard]] inline bp_tensor_desc convolution_result(const op::Conv2dParams& params,
                                                       const bp_tensor_desc& input,
                                                       const bp_tensor_desc& weight) {
  bp_tensor_desc result = input;
  result.dtype = BP_F32;  // of factors of 16 bits too
  result.layout = BP_LAYOUT_ANY;
  result.rank = 4;
  result.dims[1] = weight.dims[0];
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t reach = params.dilation[axis] * (weight.dims[2 + axis] - 1) + 1;
    const std::int64_t room =
        input.dims[2 + axis] + params.padding[axis] + params.padding[2 + axis] - reach;
    const bool fits = room >= 0 && params.stride[axis] > 0;
    result.dims[2 + axis] = fits ? room / params.stride[axis] + 1 : 0;
    result.strides[axis] = result.strides[2 + axis] = 0;
  }
  return result;
}

// A sum, of an operation with one output, and then the function of each of its elements.
template <class D, class Sum>
[[nodiscard]] std::unique_ptr<Plan> plan_activated(D& device, op::Activation activation,
                                                   const Sum& sum, Request& request) {
  Steps steps(request);
  std::vector<Operand> inputs;
  for (std::size_t i = 0; i < request.inputs.size(); ++i) inputs.push_back(steps.input(i));
  const Operand y = steps.output(0);
  std::vector<Step> parts{steps.plan(inputs, {y}, [&](Request& part) { return device.plan(sum, part); })};
  const auto add = [&](const auto& function) {
    parts.push_back(steps.plan({y}, {y}, [&](Request& part) { return device.plan(function, part); }));
  };
  switch (activation) {
    case op::Activation::none: break;
    case op::Activation::relu: add(op::Relu{}); break;
    case op::Activation::sigmoid: add(op::Sigmoid{}); break;
    case op::Activation::tanh: add(op::Tanh{}); break;
  }
  return steps.finish(std::move(parts));
}

}  // namespace backplane::plugin
