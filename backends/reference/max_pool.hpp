// The largest of each window, for max_pool2d and what has one inside.
#pragma once

#include <cstdint>
#include <vector>

#include "check.hpp"

namespace backplane::reference {

struct MaxPool : op::MaxPool2dParams {
  std::int64_t planes = 0;  // samples times channels
  std::int64_t in[2] = {}, out[2] = {};

  // Where a tap of an output's window lies in the input's plane; -1: in the padding.
  [[nodiscard]] std::int64_t source(std::int64_t oh, std::int64_t ow, std::int64_t tap) const {
    const std::int64_t ih = oh * stride[0] - padding[0] + tap / kernel[1] * dilation[0];
    const std::int64_t iw = ow * stride[1] - padding[1] + tap % kernel[1] * dilation[1];
    return ih < 0 || ih >= in[0] || iw < 0 || iw >= in[1] ? -1 : ih * in[1] + iw;
  }
  [[nodiscard]] std::int64_t taps() const { return std::int64_t{kernel[0]} * kernel[1]; }

  static constexpr std::int64_t no_winner = -1;  // stored as all ones
  struct Result {
    std::vector<double> y;
    std::vector<std::int64_t> winners;
  };
  [[nodiscard]] Result forward(const std::vector<double>& x) const;
  // A winner that is no tap takes no dy.
  [[nodiscard]] std::vector<double> backward(const std::vector<double>& dy,
                                             const std::vector<std::int64_t>& winners) const;
};

// Throws where parameters and dims contradict each other.
[[nodiscard]] MaxPool fit_max_pool(const Check& check, const op::MaxPool2dParams& params,
                                   const bp_tensor_desc& x, const bp_tensor_desc& y);
void check_winners(const Check& check, const MaxPool& pool, const bp_tensor_desc& winners,
                   const bp_tensor_desc& y);

}  // namespace backplane::reference
