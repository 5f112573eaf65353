// The end of conv2d_activation and of matmul_activation: bias and function in one kernel.
#pragma once

#include "backplane/plugin/steps.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

// As a step: x, (bias) -> y = activation(x + bias), with a number of the bias for each index of
// `axis`. x and y may be the same memory.
template <class Op>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_bias_activation(const Check& check, const Op& op,
                                                                 std::uint32_t axis,
                                                                 plugin::Request& request) {
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const bool has_bias = request.inputs.size() > 1;
  bp_tensor_desc each = y;
  if (has_bias) {
    const bp_tensor_desc& bias = request.inputs[1];
    check.dims(bias, "bias", {y.dims[axis]});
    std::fill_n(each.strides, each.rank, 0);
    each.strides[axis] = bias.strides[0];
  }
  const auto function = static_cast<i32>(op.activation);
  return make_plan<Op>(request, "bias and activation",
                       [walk = nest({&y, &x, &each}), has_bias, function](const Call& call) {
                         launch(call.queue, kernel::bias_activation_float, items(walk.count), walk,
                                call.output(0), call.input(0), call.input(1), has_bias, function);
                       });
}

// The sum, which is of one output and takes a bias as input 2, without its bias; then that and the
// function.
template <class Op, class Part>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_activated(const Check& check, const Op& op,
                                                           std::uint32_t axis,
                                                           plugin::Request& request,
                                                           const Part& sum) {
  check.that(op.activation <= op::Activation::tanh, "there is no such activation");
  plugin::Steps steps(request);
  const plugin::Operand y = steps.output(0);
  std::vector<plugin::Operand> ends{y};
  if (request.inputs.size() > 2) ends.push_back(steps.input(2));
  auto sums = steps.plan({steps.input(0), steps.input(1)}, {y}, sum);
  auto end = steps.plan(ends, {y},
                        [&](auto& part) { return plan_bias_activation(check, op, axis, part); });
  return steps.finish({std::move(sums), std::move(end)});
}

}  // namespace backplane::card
