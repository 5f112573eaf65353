// conv2d_relu_max_pool: the convolution into the workspace, then one kernel for the rest. Its
// gradients expand the winners to the gradient of the convolution's result.
#include "backplane/plugin/parts.hpp"
#include "max_pool2d.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

// The convolution's result, or its gradient.
bp_tensor_desc dense_images(const op::Conv2dReluMaxPoolParams& params, const bp_tensor_desc& input,
                            const bp_tensor_desc& weight) {
  bp_tensor_desc images = plugin::convolution_result(params.conv, input, weight);
  images.dtype = BP_F32;
  set_dense_strides(images);
  return images;
}

void check_ranks(const Check& check, const op::Conv2dReluMaxPoolParams& params,
                 const bp_tensor_desc& images, const bp_tensor_desc& weight) {
  check.rank(images, "input", 4);
  check.rank(weight, "weight", 4);
  check.that(i64{params.pool_kernel[0]} * params.pool_kernel[1] <= 254,
             "a pool window has at most 254 elements");
}

// x, bias, (mask) -> y, winners.
std::unique_ptr<plugin::Plan> plan_end(const Check& check, const op::Conv2dReluMaxPool& op,
                                       plugin::Request& request) {
  const bp_tensor_desc &x = request.inputs[0], &bias = request.inputs[1];
  const bp_tensor_desc &y = request.outputs[0], &winners = request.outputs[1];
  const Window window = fit_pool(check, plugin::pool_of(op), x, y);
  check.same_dims(winners, "winners", y);
  check.dims(bias, "bias", {x.dims[1]});
  const bp_tensor_desc planes = planes_of(x, y);
  const bp_tensor_desc biases =
      view(bias, {{y.dims[0], 0}, {y.dims[1], bias.strides[0]}, {y.dims[2], 0}, {y.dims[3], 0}});
  const bool has_mask = request.inputs.size() > 2;
  bp_tensor_desc masks = planes;
  if (has_mask) {
    const bp_tensor_desc& mask = request.inputs[2];
    check.dims(mask, "mask", {x.dims[0], x.dims[1]});
    masks = planes_of(mask, y);
  }
  return make_plan<op::Conv2dReluMaxPool>(
      request, "relu and pool",
      [walk = nest({&y, &winners, &planes, &biases, &masks}), window, has_mask](const Call& call) {
        launch(call.queue, kernel::relu_max_pool2d, items(walk.count), walk, window, call.output(0),
               call.output(1), call.input(0), call.input(1), call.input(2), has_mask);
      });
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Conv2dReluMaxPool& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::Conv2dReluMaxPool>, request);
  check.arguments(
      {{"input", factor_types()}, {"weight", factor_types()}, {"bias"}, {"mask", f32, true}},
      {{"y"}, {"winners", only(BP_U8)}});
  check_ranks(check, op, request.inputs[0], request.inputs[1]);
  const bp_tensor_desc images = dense_images(op, request.inputs[0], request.inputs[1]);
  plugin::Steps steps(request);
  const plugin::Operand dense = steps.between(images, span_bytes(images));
  std::vector<plugin::Operand> ends{dense, steps.input(2)};
  if (request.inputs.size() > 3) ends.push_back(steps.input(3));
  auto conv = steps.plan({steps.input(0), steps.input(1)}, {dense},
                         [&](auto& sum) { return part(op::Conv2d{op.conv}, sum); });
  auto end = steps.plan(ends, {steps.output(0), steps.output(1)},
                        [&](auto& rest) { return plan_end(check, op, rest); });
  return steps.finish({std::move(conv), std::move(end)});
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Conv2dReluMaxPoolBackwardData& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::Conv2dReluMaxPoolBackwardData>, request);
  check.arguments({{"dy"}, {"winners", only(BP_U8)}, {"weight"}}, {{"dx"}});
  check_ranks(check, op, request.outputs[0], request.inputs[2]);
  const bp_tensor_desc images = dense_images(op, request.outputs[0], request.inputs[2]);
  plugin::Steps steps(request);
  const plugin::Operand dense = steps.between(images, span_bytes(images));
  auto expansion = steps.plan({steps.input(0), steps.input(1)}, {dense}, [&](auto& pool) {
    return part(op::MaxPool2dBackward{plugin::pool_of(op)}, pool);
  });
  auto conv = steps.plan({dense, steps.input(2)}, {steps.output(0)},
                         [&](auto& sum) { return part(op::Conv2dBackwardData{op.conv}, sum); });
  return steps.finish({std::move(expansion), std::move(conv)});
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Conv2dReluMaxPoolBackwardWeight& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::Conv2dReluMaxPoolBackwardWeight>, request);
  check.arguments({{"input"}, {"dy"}, {"winners", only(BP_U8)}},
                  {{"dweight"}, {"dbias", f32, true}});
  check_ranks(check, op, request.inputs[0], request.outputs[0]);
  const bp_tensor_desc images = dense_images(op, request.inputs[0], request.outputs[0]);
  plugin::Steps steps(request);
  const plugin::Operand dense = steps.between(images, span_bytes(images));
  auto expansion = steps.plan({steps.input(1), steps.input(2)}, {dense}, [&](auto& pool) {
    return part(op::MaxPool2dBackward{plugin::pool_of(op)}, pool);
  });
  std::vector<plugin::Operand> gradients{steps.output(0)};
  if (request.outputs.size() > 1) gradients.push_back(steps.output(1));
  auto conv = steps.plan(
      {steps.input(0), dense}, gradients,
      [&](auto& sum) { return part(op::Conv2dBackwardWeight{op.conv}, sum); }, request.adds_to);
  return steps.finish({std::move(expansion), std::move(conv)});
}

}  // namespace backplane::card
