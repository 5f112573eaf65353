// Operations that draw random numbers; philox.hpp says what each draw means.
#pragma once

#include <cstdint>

namespace backplane::op {

// Where a draw of random numbers starts; see philox.hpp for what each draw means.
struct PhiloxScalars {
  std::uint32_t seed_low, seed_high, site, step, first_sample;
};

// x -> y = x / (1 - p) where kept, +0 where dropped. Element e of sample s (dims[0] counts samples,
// e in row-major order) is kept if uniform(draw of (e, s)) >= p. Linear: it is its own backward.
struct Dropout {
  float p;
  using Scalars = PhiloxScalars;
};

// As Dropout, but one draw for each channel (dims[1]) of a sample: e is the channel.
struct Dropout2d {
  float p;
  using Scalars = PhiloxScalars;
};

// -> y, element i (row-major) = fma(uniform(draw of (i, 0)), high - low, low).
struct Uniform {
  struct Scalars {
    PhiloxScalars draw;
    float low, high;
  };
};

// -> y, element i = mean + deviation * normal(draw of (i, 0)).
struct Normal {
  struct Scalars {
    PhiloxScalars draw;
    float mean, deviation;
  };
};

// clang-format off
#define BACKPLANE_RANDOM_OPS(row)                        \
  row(Dropout,   dropout,    16, 1, 1, 0, true,  false)  \
  row(Dropout2d, dropout2d,  17, 1, 1, 0, true,  false)  \
  row(Uniform,   uniform,    27, 0, 1, 0, false, false)  \
  row(Normal,    normal,     28, 0, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
