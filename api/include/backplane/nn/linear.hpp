// Linear: a fully connected layer.
#pragma once

#include "backplane/nn/layer.hpp"

namespace backplane {

// x[...,in] -> [...,out] = x weight^T + bias. `weight` is [out,in], `bias` [out]; both start
// uniform in
// +-1/sqrt(in), on the default device.
class Linear : public LayerOf<Linear> {
 public:
  struct Options {
    bool bias = true;
  };

  // Error(invalid_argument) for counts that aren't positive.
  Linear(std::int64_t in_features, std::int64_t out_features, const Options& options);
  Linear(std::int64_t in_features, std::int64_t out_features)
      : Linear(in_features, out_features, Options{}) {}

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }  // undefined: none

 private:
  Tensor weight_, bias_;
};

}  // namespace backplane
