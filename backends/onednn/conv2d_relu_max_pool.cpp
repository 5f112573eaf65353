// conv2d_relu_max_pool: the convolution of a few images, then the rest while they are in the cache.
#include "backend.hpp"
#include "backplane/plugin/parts.hpp"
#include "check.hpp"
#include "image_blocks.hpp"
#include "layout.hpp"
#include "max_pool2d.hpp"

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

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dReluMaxPool& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dReluMaxPool>, request);
  check_operands(check, request, op);
  const bp_tensor_desc dense =
      plugin::convolution_result(op.conv, request.inputs[0], request.inputs[1]);
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
