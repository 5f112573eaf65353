// The sums of a convolution, for conv2d and what has one inside.
#pragma once

#include <cstdint>
#include <vector>

#include "check.hpp"

namespace backplane::reference {

// Whatever is given and whatever is asked for: an input, a weight and an output that fit.
struct Convolution : op::Conv2dParams {
  std::int64_t samples = 0;
  std::int64_t group_inputs = 0, group_outputs = 0;  // channels of one group
  std::int64_t in[2] = {}, kernel[2] = {}, out[2] = {};

  [[nodiscard]] std::int64_t input_plane() const { return in[0] * in[1]; }
  [[nodiscard]] std::int64_t output_plane() const { return out[0] * out[1]; }
  [[nodiscard]] std::int64_t output_channels() const { return groups * group_outputs; }
  [[nodiscard]] std::size_t input_count() const {
    return static_cast<std::size_t>(samples * groups * group_inputs * input_plane());
  }
  [[nodiscard]] std::size_t weight_count() const {
    return static_cast<std::size_t>(output_channels() * group_inputs * kernel[0] * kernel[1]);
  }
  [[nodiscard]] std::size_t output_count() const {
    return static_cast<std::size_t>(samples * output_channels() * output_plane());
  }

  // The input's row (axis 0) or column (axis 1) under an output position's tap.
  [[nodiscard]] std::int64_t source(int axis, std::int64_t position, std::int64_t tap) const {
    return position * stride[axis] - padding[axis] + tap * dilation[axis];
  }

  // Row-major values; null where there is no bias.
  [[nodiscard]] std::vector<double> forward(const std::vector<double>& input,
                                            const std::vector<double>& weight,
                                            const std::vector<double>* bias) const;
  [[nodiscard]] std::vector<double> backward_data(const std::vector<double>& dy,
                                                  const std::vector<double>& weight) const;
  [[nodiscard]] std::vector<double> backward_weight(const std::vector<double>& input,
                                                    const std::vector<double>& dy) const;
  [[nodiscard]] std::vector<double> backward_bias(const std::vector<double>& dy) const;
};

// Throws where parameters and dims contradict each other; `y` may be left out (null), as where
// another operation takes it.
[[nodiscard]] Convolution fit_convolution(const Check& check, const op::Conv2dParams& params,
                                          const bp_tensor_desc& input, const bp_tensor_desc& weight,
                                          const bp_tensor_desc* y);

}  // namespace backplane::reference
