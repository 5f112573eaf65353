// Conv2d: a layer of learned two-dimensional filters.
#pragma once

#include "backplane/functional.hpp"
#include "backplane/nn/layer.hpp"

namespace backplane {

// x[N,in,H,W] -> [N,out,OH,OW], see conv2d() for the sizes. `weight` is [out,in/groups,KH,KW],
// `bias` [out]; both start uniform in +-1/sqrt(in/groups * KH * KW), on the default device.
class Conv2d : public LayerOf<Conv2d> {
 public:
  struct Options {
    Size2d kernel;
    Size2d stride = 1;
    Padding2d padding = 0;
    Size2d dilation = 1;
    std::int32_t groups = 1;  // must divide both channel counts
    bool bias = true;
  };

  // Error(invalid_argument) for sizes that aren't positive, a negative padding, or groups that
  // don't divide the channels.
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }  // undefined: none

 private:
  Conv2dOptions options_;
  Tensor weight_, bias_;
};

}  // namespace backplane
