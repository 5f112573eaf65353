// Tensors as images of channels that lie side by side, in any layout.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "cpu/image.h"
#include "layout.hpp"

namespace backplane::onednn {

// A tensor as images of `channels` elements a pixel: one for each sample, or for each group of
// channels of one.
struct Images {
  Images(const bp_tensor_desc& desc, std::int64_t channels)
      : groups(desc.dims[1] / channels), height(desc.dims[2]), width(desc.dims[3]) {
    const std::int64_t block = block_of(desc);
    if (block != 0) {
      sample_stride = desc.dims[1] * height * width;
      group_stride = block * height * width;
      row_stride = block * width;
      column_stride = block;
    } else {
      sample_stride = desc.strides[0];
      group_stride = desc.strides[1];
      row_stride = desc.strides[2];
      column_stride = desc.strides[3];
    }
  }

  template <class T>
  [[nodiscard]] cpu::Image<T> at(T* data, std::int64_t index) const {
    return {data + index / groups * sample_stride + index % groups * group_stride, height, width,
            row_stride, column_stride};
  }

  std::int64_t groups, height, width;
  std::int64_t sample_stride, group_stride, row_stride, column_stride;
};

// How many channels lie side by side in all of them.
[[nodiscard]] inline std::int64_t channels_together(
    std::initializer_list<const bp_tensor_desc*> descs) {
  const bp_tensor_desc& first = **descs.begin();
  if (block_of(first) != 0) return block_of(first);
  const bool all = std::ranges::all_of(descs, [](auto* desc) { return desc->strides[1] == 1; });
  return all ? std::max<std::int64_t>(first.dims[1], 1) : 1;
}

}  // namespace backplane::onednn
