// normalize: bytes into floats, (x / 255 - mean) / deviation in double with one rounding.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

struct Normalization {
  float mean, deviation;
  [[nodiscard]] float operator()(std::uint8_t x) const;
};

// What each of the 256 bytes becomes: worth making for more elements than that.
struct NormalizationTable {
  explicit NormalizationTable(const Normalization& of);
  [[nodiscard]] float operator()(std::uint8_t x) const { return value[x]; }
  float value[256];
};

void normalize(Plane plane, const Normalization& with, Strided<const std::uint8_t> src,
               Strided<float> dst);
void normalize(Plane plane, const NormalizationTable& with, Strided<const std::uint8_t> src,
               Strided<float> dst);

}  // namespace backplane::cpu
