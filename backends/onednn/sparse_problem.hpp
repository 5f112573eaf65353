// What the gradients of conv2d_relu_max_pool have to compute: operands and geometry, checked.
#pragma once

#include "check.hpp"
#include "cpu/conv_shape.h"
#include "cpu/sparse_conv.h"

namespace backplane::onednn {

// The operands by what they are, whichever of them are asked for.
struct PooledOperands {
  const bp_tensor_desc &input, &weight, &dy, &winners;
};

// One group of channels, of which there are `groups` side by side; `threads` are those that the
// work deserves.
struct SparseProblem {
  cpu::SparseConv conv;
  cpu::ConvShape shape;  // of all groups
  std::int64_t images, groups;
  std::uint32_t threads;

  [[nodiscard]] std::int64_t channels_step() const {
    return conv.channels * conv.height * conv.width;
  }
  [[nodiscard]] std::int64_t filters_step() const {
    return conv.filters * conv.pooled_height * conv.pooled_width;
  }
  [[nodiscard]] std::int64_t weight_step() const {
    return conv.filters * conv.channels * conv.kernel[0] * conv.kernel[1];
  }
};

[[nodiscard]] SparseProblem sparse_problem(const Check& check,
                                           const op::Conv2dReluMaxPoolParams& params,
                                           const PooledOperands& operands, std::uint32_t threads);

// Whether sparse_conv can take it: there are elements to share out, and offsets within a padded
// image take 31 bits.
[[nodiscard]] bool fits_sparse_conv(const PooledOperands& operands, const op::Conv2dParams& params);

}  // namespace backplane::onednn
