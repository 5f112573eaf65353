// conv2d_relu_max_pool: within Winograd's tiles where they fit; else the convolution of a few
// images, then the rest while they are in the cache.
#include <algorithm>

#include "backend.hpp"
#include "backplane/plugin/parts.hpp"
#include "check.hpp"
#include "convolution.hpp"
#include "image_blocks.hpp"
#include "layout.hpp"
#include "max_pool2d.hpp"
#include "own_convolution.hpp"

namespace backplane::onednn {
namespace {

void check_operands(const Check& check, const plugin::Request& request,
                    const op::Conv2dReluMaxPool& op) {
  check.inputs(3, 4);
  check.outputs(2, 2);
  check.rank(request.inputs[0], "input", 4);
  check.rank(request.inputs[1], "weight", 4);
  check.that(std::int64_t{op.pool_kernel[0]} * op.pool_kernel[1] <= 254,
             "a pool window has at most 254 elements");
}

// Windows that tile the convolution's result, rounded down: Winograd's tiles are made of them.
std::unique_ptr<plugin::Plan> plan_pooling_winograd(const Check& check,
                                                    const op::Conv2dReluMaxPool& op,
                                                    const bp_tensor_desc& dense,
                                                    plugin::Request& request) {
  const std::int32_t window = op.pool_kernel[0];
  const bool tiles = window > 1 && op.pool_kernel[1] == window && op.pool_stride[0] == window &&
                     op.pool_stride[1] == window &&
                     std::ranges::all_of(op.pool_padding, [](auto p) { return p == 0; });
  if (!tiles) return nullptr;
  const Convolution convolution(check, op.conv, request.inputs[0], request.inputs[1], dense);
  convolution.check_bias(check, request.inputs[2]);
  const bp_tensor_desc &y = request.outputs[0], &winners = request.outputs[1];
  check.rank(y, "y", 4);
  check.dtype(y, "y", {BP_F32});
  check.same_dims(winners, "winners", y);
  check.dtype(winners, "winners", {BP_U8});
  const bool has_mask = request.inputs.size() == 4;
  if (has_mask) {
    check.dtype(request.inputs[3], "mask", {BP_F32});
    check.dims(request.inputs[3], "mask", {dense.dims[0], dense.dims[1]});
  }
  const bool rounds_down =
      y.dims[2] == dense.dims[2] / window && y.dims[3] == dense.dims[3] / window;
  if (!rounds_down) return nullptr;
  check.dims(y, "y", {dense.dims[0], dense.dims[1], y.dims[2], y.dims[3]});
  return plan_own_convolution(request, {.shape = convolution.shape(),
                                        .has_bias = true,
                                        .has_mask = has_mask,
                                        .relu = true,
                                        .pool = window});
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dReluMaxPool& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dReluMaxPool>, request);
  check_operands(check, request, op);
  const bp_tensor_desc dense =
      plugin::convolution_result(op.conv, request.inputs[0], request.inputs[1]);
  if (auto fused = plan_pooling_winograd(check, op, dense, request)) return fused;
  const auto dense_bytes = static_cast<std::uint64_t>(element_count(dense)) * sizeof(float);
  const auto blocks = ImageBlocks::of(request, dense_bytes);
  if (blocks) {
    return blocks->plan(request, {.inputs = 0b1001, .outputs = 0b11},
                        [&](plugin::Request& few) { return plan(op, few); });
  }

  plugin::Steps steps(request);
  const plugin::Operand between = steps.between(dense, dense_bytes);
  auto conv = steps.plan({steps.input(0), steps.input(1), steps.input(2)}, {between},
                         [&](auto& part) { return plan(op::Conv2d{op.conv}, part); });
  std::vector<plugin::Operand> pooled{between};
  if (request.inputs.size() == 4) pooled.push_back(steps.input(3));
  auto pool = steps.plan(pooled, {steps.output(0), steps.output(1)}, [&](auto& part) {
    return plan_relu_max_pool2d(check, plugin::pool_of(op), part);
  });
  return steps.finish({std::move(conv), std::move(pool)});
}

}  // namespace backplane::onednn
