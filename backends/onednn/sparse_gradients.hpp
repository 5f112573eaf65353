// The gradients of conv2d_relu_max_pool straight from its winners, without the gradient of the
// convolution's result. All tensors are rows.
#pragma once

#include <memory>

#include "backplane/plugin/host_backend.hpp"
#include "sparse_problem.hpp"

namespace backplane::onednn {

[[nodiscard]] std::unique_ptr<plugin::Plan> plan_sparse_backward_data(const SparseProblem& problem,
                                                                      plugin::Request& request);
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_sparse_backward_weight(
    const SparseProblem& problem, plugin::Request& request);

}  // namespace backplane::onednn
