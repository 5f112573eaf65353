// The gradients of conv2d_relu_max_pool: sparse where that pays; else dense, where winners are
// expanded to the gradient of the convolution's result, which goes through the convolution's own.
#include "backend.hpp"
#include "backplane/plugin/parts.hpp"
#include "check.hpp"
#include "gradients_by_winners.hpp"
#include "layout.hpp"

namespace backplane::onednn {
namespace {

void check_rank(const Check& check, const bp_tensor_desc& images, const bp_tensor_desc& weight) {
  check.rank(images, "input", 4);
  check.rank(weight, "weight", 4);
}

// Expansion wants all of its tensors in the layout that the convolution asks for.
plugin::Step plan_expansion(OnednnDevice& device, const op::Conv2dReluMaxPoolParams& params,
                            plugin::Steps& steps, const plugin::Operand& dy,
                            const plugin::Operand& winners, const plugin::Operand& dense) {
  for (const plugin::Operand* operand : {&dy, &winners}) {
    if (!same_layout(*operand->desc, *dense.desc)) set_like(*operand->desc, *dense.desc);
  }
  return steps.plan({dy, winners}, {dense}, [&](auto& part) {
    return device.plan(op::MaxPool2dBackward{plugin::pool_of(params)}, part);
  });
}

std::unique_ptr<plugin::Plan> plan_dense_data(OnednnDevice& device,
                                              const op::Conv2dReluMaxPoolParams& params,
                                              plugin::Request& request) {
  bp_tensor_desc gradient =
      plugin::convolution_result(params.conv, request.outputs[0], request.inputs[2]);
  set_row_major(gradient);  // until the convolution says what it wants
  plugin::Steps steps(request);
  const plugin::Operand dense = steps.between(gradient, byte_count(gradient));
  auto conv = steps.plan({dense, steps.input(2)}, {steps.output(0)}, [&](auto& part) {
    return device.plan(op::Conv2dBackwardData{params.conv}, part);
  });
  auto expansion = plan_expansion(device, params, steps, steps.input(0), steps.input(1), dense);
  return steps.finish({std::move(expansion), std::move(conv)});
}

std::unique_ptr<plugin::Plan> plan_dense_weight(OnednnDevice& device,
                                                const op::Conv2dReluMaxPoolParams& params,
                                                plugin::Request& request) {
  bp_tensor_desc gradient =
      plugin::convolution_result(params.conv, request.inputs[0], request.outputs[0]);
  set_row_major(gradient);
  plugin::Steps steps(request);
  const plugin::Operand dense = steps.between(gradient, byte_count(gradient));
  std::vector<plugin::Operand> gradients{steps.output(0)};
  if (request.outputs.size() == 2) gradients.push_back(steps.output(1));
  auto conv = steps.plan(
      {steps.input(0), dense}, gradients,
      [&](auto& part) { return device.plan(op::Conv2dBackwardWeight{params.conv}, part); },
      request.adds_to);
  auto expansion = plan_expansion(device, params, steps, steps.input(1), steps.input(2), dense);
  return steps.finish({std::move(expansion), std::move(conv)});
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dReluMaxPoolBackwardData& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dReluMaxPoolBackwardData>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  check_rank(check, request.outputs[0], request.inputs[2]);
  return plan_backward_data_by_winners({*this, check, op}, request, [&](plugin::Request& same) {
    return plan_dense_data(*this, op, same);
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dReluMaxPoolBackwardWeight& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dReluMaxPoolBackwardWeight>, request);
  check.inputs(3, 3);
  check.outputs(1, 2);
  check_rank(check, request.inputs[0], request.outputs[0]);
  return plan_backward_weight_by_winners({*this, check, op}, request, [&](plugin::Request& same) {
    return plan_dense_weight(*this, op, same);
  });
}

}  // namespace backplane::onednn
