// What a convolution does with its sums before it writes them.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// In this order; what isn't asked for is left out.
struct ConvEpilogue {
  // [outputs], added to each sum.
  const float* bias = nullptr;
  // As in relu.h: NaN stays NaN, -0 becomes +0.
  bool relu = false;
  // Max pooling of windows pool x pool that don't overlap; rows and columns that fill no window are
  // dropped: dst is [images, outputs, out_height / pool, out_width / pool]. 1: none. Above 1 relu
  // is on and `winners`, as large as dst, gets the position in the window, row * pool + column: the
  // first of equals wins, a NaN wins over everything; no_winner where relu made the maximum +0.
  std::int64_t pool = 1;
  std::uint8_t* winners = nullptr;
  static constexpr std::uint8_t no_winner = 255;
  // [images, outputs]: results are multiplied by it. Where it is 0 they are +0, without a winner,
  // whatever the sums are, and sums that nothing else needs aren't computed.
  const float* mask = nullptr;
};

}  // namespace backplane::cpu
