// Convolutions of 3 x 3 by Winograd's minimal filtering, F(6x6, 3x3) and F(4x4, 3x3): 64 products
// for 36 outputs, or 36 for 16, where direct sums take 324 and 144 (Lavin and Gray, Fast Algorithms
// for Convolutional Neural Networks, 2016; points 0, 1, -1, 2, -2, infinity, and 1/2, -1/2 for
// six).
//
// A vector holds one element of as many tiles as it has lanes, tiles being numbered through rows,
// columns and images: any size of output fills vectors, and pooling is arithmetic between vectors.
//
// Numbers. The error of an output is bounded by what its whole tile holds, not by its own sum, so
// these kernels are for the standard level only:
//
//     |computed - exact| <= c * u * (sum over channels of
//                                    (sum of |weight|) * (largest |src| of the tile) + |bias|)
//
// with c of winograd_error_units; README.md derives it. A NaN or an infinity may spread over the
// outputs of its tile, and never vanishes.
#pragma once

#include <cstddef>

#include "cpu/conv_epilogue.h"
#include "cpu/conv_shape.h"

namespace backplane::cpu {

// Outputs of a tile along each axis.
enum class WinogradTile : int { four = 4, six = 6 };

[[nodiscard]] constexpr double winograd_error_units(WinogradTile tile) {
  return tile == WinogradTile::six ? 1605 : 861;
}

// Whether the kernel computes such a shape: 3 x 3, stride 1, dilation 1, no groups, padding up
// to 2.
[[nodiscard]] bool winograd_computes(const ConvShape& shape);
// Whether its tiles are made of whole windows.
[[nodiscard]] constexpr bool winograd_pools(WinogradTile tile, std::int64_t pool) {
  return pool >= 1 && pool <= 3 && static_cast<int>(tile) % pool == 0;
}

// Where the elements of a 3 x 3 weight lie: (output, channel, tap) at
// output * output_stride + channel * channel_stride + tap.
struct WinogradWeight {
  const float* data;
  std::int64_t outputs, channels, output_stride, channel_stride;
  // Taps in reverse order. The gradient of the input of a convolution is a convolution of dy whose
  // outputs are its channels, with such taps and padding 2 - p.
  bool reversed = false;
};
[[nodiscard]] WinogradWeight winograd_weight(const float* weight, std::int64_t outputs,
                                             std::int64_t channels);
[[nodiscard]] WinogradWeight winograd_weight_of_backward_data(const float* weight,
                                                              std::int64_t outputs,
                                                              std::int64_t channels);

// The transformed weight, in an order of its own; pack writes outputs [begin, end) of it.
[[nodiscard]] std::size_t winograd_packed_bytes(WinogradTile tile, std::int64_t outputs,
                                                std::int64_t channels);
void winograd_pack(WinogradTile tile, const WinogradWeight& weight, std::int64_t begin,
                   std::int64_t end, float* packed);

// All images of the shape, on this thread. The workspace is aligned to 64 bytes.
[[nodiscard]] std::size_t winograd_workspace_bytes(WinogradTile tile, const ConvShape& shape);
void winograd(WinogradTile tile, const ConvShape& shape, const float* src, const float* packed,
              const ConvEpilogue& epilogue, float* dst, void* workspace);

}  // namespace backplane::cpu
