// Conv1d, Conv2d, ConvTranspose2d: layers of learned filters.
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

// x[N,in,L] -> [N,out,OL], see conv1d(). `weight` is [out,in/groups,K], `bias` [out]; both start as
// Conv2d's do.
class Conv1d : public LayerOf<Conv1d> {
 public:
  struct Options {
    std::int32_t kernel;
    std::int32_t stride = 1;
    Padding1d padding = 0;
    std::int32_t dilation = 1;
    std::int32_t groups = 1;  // must divide both channel counts
    bool bias = true;
  };

  // Error(invalid_argument) as Conv2d.
  Conv1d(std::int64_t in_channels, std::int64_t out_channels, const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }  // undefined: none

 private:
  Conv1dOptions options_;
  Tensor weight_, bias_;
};

// x[N,in,H,W] -> [N,out,OH,OW], see conv_transpose2d() for the sizes. `weight` is
// [in,out/groups,KH,KW], `bias` [out]; both start uniform in +-1/sqrt(out/groups * KH * KW), as in
// PyTorch.
class ConvTranspose2d : public LayerOf<ConvTranspose2d> {
 public:
  struct Options {
    Size2d kernel;
    Size2d stride = 1;
    Padding2d padding = 0;
    Size2d output_padding = 0;  // below the stride
    Size2d dilation = 1;
    std::int32_t groups = 1;  // must divide both channel counts
    bool bias = true;
  };

  // Error(invalid_argument) as Conv2d, and for an output_padding out of range.
  ConvTranspose2d(std::int64_t in_channels, std::int64_t out_channels, const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }  // undefined: none

 private:
  ConvTranspose2dOptions options_;
  Tensor weight_, bias_;
};

}  // namespace backplane
