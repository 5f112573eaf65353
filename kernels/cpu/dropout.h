// dropout: which elements a draw keeps, and the division of those. Dropped is +0, by a select.
#pragma once

#include "cpu/philox.h"
#include "cpu/plane.h"

namespace backplane::cpu {

// Elements [first, first + count) of a sample; `first` is a multiple of 4. An element is kept where
// its 24 random bits reach `threshold`, which is p * 2^24 rounded up.
struct DropoutDraw {
  PhiloxStream stream;
  std::uint32_t threshold;
  std::int64_t first, count;
};

// dst = src / divisor where kept.
void dropout(const DropoutDraw& draw, float divisor, const float* src, float* dst);

// mask = 1 where kept, else 0.
void dropout_mask(const DropoutDraw& draw, std::uint8_t* mask);

// dst = src / divisor where the mask is set.
void apply_mask(Plane plane, float divisor, Strided<const float> src,
                Strided<const std::uint8_t> mask, Strided<float> dst);

}  // namespace backplane::cpu
