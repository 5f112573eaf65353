// Plans of convolutions by Winograd's algorithm, at the standard level.
#pragma once

#include <memory>

#include "backplane/plugin/backend.hpp"
#include "cpu/conv_shape.h"

namespace backplane::onednn {

// Inputs src, weight, then the bias and the mask if there are any; outputs dst and, with a pool,
// the winners. What it means is in cpu/conv_epilogue.h.
struct WinogradForm {
  cpu::ConvShape shape;
  bool backward_data = false;  // the weight is that of the convolution whose gradient this is
  bool has_bias = false, has_mask = false;
  bool relu = false;
  std::int64_t pool = 1;
};

// Null, with the request untouched, where the level, the shape or the outputs' layouts rule it out,
// or where the vendor's library is cheaper.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_winograd(plugin::Request& request,
                                                          const WinogradForm& form);

}  // namespace backplane::onednn
