// What a kernel on images works on: pixels of channels that lie side by side.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// One image: its kernel's `channels` elements without gaps at each pixel. A layout in which they
// don't lie side by side is one image for each channel.
template <class T>
struct Image {
  T* data;
  std::int64_t height, width, row_stride, column_stride;
};

}  // namespace backplane::cpu
