// Normalisation as layers: BatchNorm1d, BatchNorm2d, LayerNorm, GroupNorm.
#pragma once

#include "backplane/functional.hpp"
#include "backplane/nn/layer.hpp"

namespace backplane {

// What batch normalisations share: see batch_norm(). `weight` starts as 1 and `bias` as 0; the
// buffers `running_mean` and `running_var` start as 0 and 1, follow the batches while training, and
// stand in for them in eval. All are [channels], on the default device.
class BatchNorm {
 public:
  struct Options {
    float epsilon = 1e-5f;
    float momentum = 0.1f;            // the share of a new batch in the running statistics
    bool affine = true;               // whether there are weight and bias
    bool track_running_stats = true;  // false: a batch's own statistics in eval too
  };

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }  // undefined: none
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }
  [[nodiscard]] const Tensor& running_mean() const noexcept { return running_mean_; }
  [[nodiscard]] const Tensor& running_var() const noexcept { return running_var_; }

 protected:
  // Error(invalid_argument) for no channels, or for options out of range.
  BatchNorm(const char* layer, std::int64_t channels, const Options& options);
  [[nodiscard]] Tensor apply(const Tensor& x, bool training) const;
  void show(Visitor& visitor);

 private:
  Options options_;
  Tensor weight_, bias_, running_mean_, running_var_;
};

// x[N,C] or x[N,C,L].
class BatchNorm1d : public LayerOf<BatchNorm1d>, public BatchNorm {
 public:
  using BatchNorm::Options;
  explicit BatchNorm1d(std::int64_t channels);
  BatchNorm1d(std::int64_t channels, const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override { show(visitor); }
};

// x[N,C,H,W].
class BatchNorm2d : public LayerOf<BatchNorm2d>, public BatchNorm {
 public:
  using BatchNorm::Options;
  explicit BatchNorm2d(std::int64_t channels);
  BatchNorm2d(std::int64_t channels, const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override { show(visitor); }
};

// Over the last axes, whose sizes are given; `weight` (1 at first) and `bias` (0) have that shape.
class LayerNorm : public LayerOf<LayerNorm> {
 public:
  struct Options {
    float epsilon = 1e-5f;
    bool affine = true;  // whether there are weight and bias
    bool bias = true;
  };
  explicit LayerNorm(const Shape& normalized);
  LayerNorm(const Shape& normalized, const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }  // undefined: none
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }

 private:
  Shape normalized_;
  float epsilon_;
  Tensor weight_, bias_;
};

// x[N,channels,...]; `weight` (1 at first) and `bias` (0) are [channels].
class GroupNorm : public LayerOf<GroupNorm> {
 public:
  struct Options {
    float epsilon = 1e-5f;
    bool affine = true;  // whether there are weight and bias
  };
  // Error(invalid_argument) unless the groups divide the channels.
  GroupNorm(std::int64_t groups, std::int64_t channels);
  GroupNorm(std::int64_t groups, std::int64_t channels, const Options& options);

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }  // undefined: none
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }

 private:
  std::int64_t groups_, channels_;
  float epsilon_;
  Tensor weight_, bias_;
};

}  // namespace backplane
