// Convolutions by their definition, on storage that the host may touch.
#pragma once

#include <cstdint>

namespace backplane::sim {

struct Convolution {
  int samples, groups;
  int in_channels, out_channels;  // of all groups
  int in[2], out[2], taps[2];     // rows, columns
  int padding[2], stride[2], dilation[2];
  bool tf32;  // inputs are rounded to it
  float alpha, beta;
};

// Each runs on four operands: two inputs, the workspace, and the output. All are dense and NCHW.
void run_forward(void* const* storage, const void* convolution);          // x, w -> y
void run_backward_data(void* const* storage, const void* convolution);    // w, dy -> dx
void run_backward_filter(void* const* storage, const void* convolution);  // x, dy -> dw

}  // namespace backplane::sim
