// What dropout and dropout2d share: the probability, and a mask that is drawn in row-major order
// and applied in whatever order the tensor lies.
#pragma once

#include <cstdint>
#include <memory>

#include "backplane/plugin/host_backend.hpp"
#include "check.hpp"

namespace backplane::onednn {

struct Probability {
  // Throws unless 0 <= p <= 1.
  Probability(const Check& check, float p);

  std::uint32_t threshold;  // of 24 random bits: kept from here on
  float divisor;            // 1 - p
};

// One input and one output, f32 and of equal dims.
void check_dropout(const Check& check, const plugin::Request& request);

// [begin, end) of the elements of one sample's mask; `begin` is a multiple of 4.
void draw_mask(const op::PhiloxScalars& draw, std::uint32_t threshold, std::int64_t sample,
               std::int64_t begin, std::int64_t end, std::uint8_t* mask);

// y = x / (1 - p) where the mask is set. `mask` describes a u8 tensor in the workspace, row-major,
// of x's dims or 1 where it repeats; dims[0] counts samples.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_masked(plugin::Request& request,
                                                        const bp_tensor_desc& mask,
                                                        const Probability& probability);

}  // namespace backplane::onednn
