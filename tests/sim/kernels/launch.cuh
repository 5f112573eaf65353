// Sizes of launches that the test kernels share.
#pragma once

#include "kernels/kernels.h"

namespace backplane::sim::kernels {

inline constexpr int kBlock = 128;
inline int blocks_for(int64_t n) {
  return static_cast<int>((n + kBlock - 1) / kBlock);
}

__device__ inline int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

}  // namespace backplane::sim::kernels
