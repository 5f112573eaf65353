// max_pool2d and its backward operation, over channels that lie side by side; and max_pool2d of
// relu, with a scale for each channel.
#pragma once

#include "cpu/image.h"

namespace backplane::cpu {

// Rows, then columns; padding on top and on the left.
struct PoolWindow {
  std::int64_t kernel[2], stride[2], padding[2], dilation[2];
};

// Rows [begin, end) of dst and of the winners: the window-local position of the maximum. The first
// of equals wins, a NaN wins over everything, padding never does; all ones: there is no winner, and
// dst is -inf. Winner: std::uint8_t or std::uint16_t.
template <class Winner>
void max_pool2d(const PoolWindow& window, std::int64_t channels, std::int64_t begin,
                std::int64_t end, const Image<const float>& src, const Image<float>& dst,
                const Image<Winner>& winners);

// The same of max(src, 0), with each channel multiplied by its scale (null: 1). Where nothing is
// above 0 or NaN, or where the scale is 0, dst is +0 and there is no winner.
void relu_max_pool2d(const PoolWindow& window, std::int64_t channels, std::int64_t begin,
                     std::int64_t end, const float* scales, const Image<const float>& src,
                     const Image<float>& dst, const Image<std::uint8_t>& winners);

// All of diff_src: each element of diff_dst is added where its winner stood. `bypasses_cache` as in
// plane.h.
template <class Winner>
void max_pool2d_backward(const PoolWindow& window, std::int64_t channels, bool bypasses_cache,
                         const Image<const float>& diff_dst, const Image<const Winner>& winners,
                         const Image<float>& diff_src);

}  // namespace backplane::cpu
