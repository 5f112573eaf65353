// Matrix products that our own code computes instead of oneDNN's.
#pragma once

#include <memory>

#include "backplane/plugin/backend.hpp"

namespace backplane::onednn {

// Of f32 matrices (rank 2) that lie as its kernels want them, and thin enough; null for others.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_thin_product(plugin::Request& request);

}  // namespace backplane::onednn
