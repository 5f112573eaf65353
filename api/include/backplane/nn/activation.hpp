// Activations as layers: each applies the function of its name, see functional.hpp.
#pragma once

#include "backplane/functional.hpp"
#include "backplane/nn/layer.hpp"

namespace backplane {

// max(x, 0), element by element; NaN stays NaN.
class ReLU : public LayerOf<ReLU> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override;
};

class LeakyReLU : public LayerOf<LeakyReLU> {
 public:
  explicit LeakyReLU(float negative_slope = 0.01f) : negative_slope_(negative_slope) {}
  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  float negative_slope_;
};

class ELU : public LayerOf<ELU> {
 public:
  explicit ELU(float alpha = 1) : alpha_(alpha) {}
  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  float alpha_;
};

class Sigmoid : public LayerOf<Sigmoid> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override;
};

class Tanh : public LayerOf<Tanh> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override;
};

class GELU : public LayerOf<GELU> {
 public:
  explicit GELU(Approximate approximate = Approximate::none) : approximate_(approximate) {}
  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  Approximate approximate_;
};

class SiLU : public LayerOf<SiLU> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override;
};

class Softplus : public LayerOf<Softplus> {
 public:
  explicit Softplus(float beta = 1, float threshold = 20) : beta_(beta), threshold_(threshold) {}
  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  float beta_, threshold_;
};

class Softmax : public LayerOf<Softmax> {
 public:
  explicit Softmax(std::int64_t axis = -1) : axis_(axis) {}
  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  std::int64_t axis_;
};

class LogSoftmax : public LayerOf<LogSoftmax> {
 public:
  explicit LogSoftmax(std::int64_t axis = -1) : axis_(axis) {}
  [[nodiscard]] Tensor forward(const Tensor& x) override;

 private:
  std::int64_t axis_;
};

}  // namespace backplane
