// What convolutions share: the rules for their parameters and operands.
#pragma once

#include "functional/operands.hpp"

namespace backplane::detail {

// Of the options of a convolution or of a transposed one.
template <class Options>
[[nodiscard]] op::Conv2dParams conv2d_params(const Options& o) {
  return {{o.stride.rows, o.stride.columns},
          {o.padding.top, o.padding.left, o.padding.bottom, o.padding.right},
          {o.dilation.rows, o.dilation.columns},
          o.groups};
}

// Stride, dilation and groups at least 1, no negative padding.
void check_params(const char* name, const op::Conv2dParams& params);

// x[N,C,...] weight[O,C/groups,...] of `rank` axes and one type, and bias[O] if it is defined.
void check_operands(const char* name, const Tensor& x, const Tensor& weight, const Tensor& bias,
                    std::size_t rank, std::int32_t groups);

// One value for each of so many output channels, if it is defined.
void check_bias(const char* name, const Tensor& x, const Tensor& bias, std::int64_t channels);

// How many places the kernel takes along one axis of x, which has so much padding in all.
[[nodiscard]] std::int64_t places(const char* name, const Tensor& x, const Tensor& weight,
                                  std::int64_t axis, std::int64_t padding, std::int64_t dilation,
                                  std::int64_t stride);

}  // namespace backplane::detail
