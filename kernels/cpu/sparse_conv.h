// The gradients of max_pool2d(relu(conv2d)) straight from the pooled gradient and the winners: what
// they cost follows the number of winners, not the size of the convolution's result.
#pragma once

#include "cpu/max_pool2d.h"

namespace backplane::cpu {

// input[N,C,H,W], weight[O,C,KH,KW]; dy and winners[N,O,PH,PW], where a winner is the position
// row * columns + column in its pool window, and 255 says that there is none. The gradient of the
// convolution's result, which nobody writes, has each dy added where its winner stood. Everything
// is row-major; an image of the input, padding included, has less than 2^31 elements.
struct SparseConv {
  std::int64_t channels, height, width;  // C, H, W
  std::int64_t filters;                  // O
  std::int64_t kernel[2], stride[2], padding[2], dilation[2];
  std::int64_t result_height, result_width;  // of the convolution
  std::int64_t pooled_height, pooled_width;  // PH, PW
  PoolWindow pool;
  std::int64_t input_stride, pooled_stride;  // from image to image, in elements: groups are slices
};

// The functions below work on one thread and allocate nothing. Workspaces are aligned to 64 bytes
// and hold so many bytes. A dy of 0 is an absent term, like one without a winner.

// input, dy, winners -> the gradient of the weight and of the bias, added to `gradient`: a packed
// array of so many floats that starts as zeros, and may be added to another of its kind before it
// is unpacked.
[[nodiscard]] std::int64_t sparse_conv_gradient_size(const SparseConv& conv);
[[nodiscard]] std::int64_t sparse_conv_backward_weight_workspace(const SparseConv& conv);
void sparse_conv_backward_weight(const SparseConv& conv, std::int64_t images, const float* input,
                                 const float* dy, const std::uint8_t* winners, void* workspace,
                                 float* gradient);
// Adds to dweight[O,C,KH,KW] and, unless it is null, to dbias[O].
void sparse_conv_unpack_gradient(const SparseConv& conv, const float* gradient, float* dweight,
                                 float* dbias);

// dy, winners, weight -> dx[N,C,H,W]. The weight is packed once for any number of calls. Where
// relu_output isn't null, dx is also taken through the gradient of the relu that gave the input:
// +0 where relu_output[N,C,H,W] <= 0.
[[nodiscard]] std::int64_t sparse_conv_weight_size(const SparseConv& conv);
void sparse_conv_pack_weight(const SparseConv& conv, const float* weight, float* packed);
[[nodiscard]] std::int64_t sparse_conv_backward_data_workspace(const SparseConv& conv);
void sparse_conv_backward_data(const SparseConv& conv, std::int64_t images, const float* dy,
                               const std::uint8_t* winners, const float* packed,
                               const float* relu_output, void* workspace, float* dx);

// What an image costs in cycles of one thread: fixed + per_term * terms, where a term is a winner
// whose dy isn't 0.
struct SparseConvCost {
  double fixed, per_term;
};
[[nodiscard]] SparseConvCost sparse_conv_backward_weight_cost(const SparseConv& conv);
[[nodiscard]] SparseConvCost sparse_conv_backward_data_cost(const SparseConv& conv);
// And what it costs to write the gradient of the convolution's result, which a dense gradient has
// to begin with.
[[nodiscard]] double sparse_conv_expansion_cycles(const SparseConv& conv);
[[nodiscard]] std::int64_t sparse_conv_count_terms(std::int64_t count, const float* dy,
                                                   const std::uint8_t* winners);

}  // namespace backplane::cpu
