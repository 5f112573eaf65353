// The gradients of conv2d_relu_max_pool straight from its winners, without the gradient of the
// convolution's result.
#pragma once

#include <memory>

#include "check.hpp"

namespace backplane::onednn {

// Nothing where the convolution's own gradients, behind an expansion, would cost less, or where a
// tensor isn't row-major and has to stay so.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_sparse_backward_data(
    const Check& check, const op::Conv2dReluMaxPoolParams& params, plugin::Request& request);
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_sparse_backward_weight(
    const Check& check, const op::Conv2dReluMaxPoolParams& params, plugin::Request& request);

}  // namespace backplane::onednn
