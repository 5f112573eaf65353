// The largest of each window, as fused operations have it.
#pragma once

#include <memory>

#include "check.hpp"

namespace backplane::onednn {

// x, (mask[N,C]) -> y, winners u8: max_pool2d of relu, as the second half of conv2d_relu_max_pool.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_relu_max_pool2d(const Check& check,
                                                                 const op::MaxPool2dParams& params,
                                                                 plugin::Request& request);

}  // namespace backplane::onednn
