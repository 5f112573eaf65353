// The choice between the sparse and the dense gradients of conv2d_relu_max_pool.
#pragma once

#include <memory>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::onednn {

// Whose gradient, and for messages.
struct PooledGradient {
  OnednnDevice& device;
  const Check& check;
  const op::Conv2dReluMaxPoolParams& params;
};

// Sparse or dense, as the cost model says. Where that depends on how many winners have a gradient,
// each run counts them and goes the cheaper way. `dense` plans the other one, also where a tensor
// isn't row-major and has to stay so.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_backward_data_by_winners(
    const PooledGradient& gradient, plugin::Request& request, const MakePlan& dense);
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_backward_weight_by_winners(
    const PooledGradient& gradient, plugin::Request& request, const MakePlan& dense);

}  // namespace backplane::onednn
