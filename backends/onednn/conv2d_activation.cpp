// conv2d_activation: relu within a kernel of our own; else the convolution of a few images, then
// the function while they are in the cache. oneDNN's own relu behind a sum loses NaN, and its other
// functions have no error bound.
#include "backend.hpp"
#include "backplane/plugin/parts.hpp"
#include "check.hpp"
#include "convolution.hpp"
#include "image_blocks.hpp"
#include "layout.hpp"
#include "own_convolution.hpp"

namespace backplane::onednn {
namespace {

// Our own kernels' sums go through relu before they are written.
std::unique_ptr<plugin::Plan> plan_relu_convolution(const Check& check, const op::Conv2d& op,
                                                    plugin::Request& request) {
  const Convolution convolution(check, op, request.inputs[0], request.inputs[1],
                                request.outputs[0]);
  const bool has_bias = request.inputs.size() == 3;
  if (has_bias) convolution.check_bias(check, request.inputs[2]);
  return plan_own_convolution(request,
                              {.shape = convolution.shape(), .has_bias = has_bias, .relu = true});
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dActivation& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dActivation>, request);
  check.inputs(2, 3);
  check.outputs(1, 1);
  check.rank(request.inputs[0], "input", 4);
  check.that(op.activation <= op::Activation::tanh, "there is no such activation");
  const op::Conv2d conv{op};
  if (op.activation == op::Activation::none) return plan(conv, request);
  if (op.activation == op::Activation::relu) {
    if (auto fused = plan_relu_convolution(check, conv, request)) return fused;
  }
  const auto bytes = static_cast<std::uint64_t>(element_count(request.outputs[0])) * sizeof(float);
  if (const auto blocks = ImageBlocks::of(request, bytes)) {
    return blocks->plan(request, {.inputs = 0b1, .outputs = 0b1},
                        [&](plugin::Request& few) { return plan(op, few); });
  }
  return plugin::plan_activated(*this, op.activation, conv, request);
}

}  // namespace backplane::onednn
