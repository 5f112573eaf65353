// Normalisation as layers.
#include "backplane/nn/norm.hpp"

#include <cmath>

#include "check.hpp"

namespace backplane {
namespace {

void check_epsilon(const char* layer, float epsilon) {
  if (epsilon >= 0 && std::isfinite(epsilon)) return;
  detail::reject("{}: epsilon must be a finite number from 0 on, got {}", layer, epsilon);
}

void check_channels(const char* layer, std::int64_t channels) {
  if (channels >= 1) return;
  detail::reject("{}: the number of channels must be positive, got {}", layer, channels);
}

Tensor ones_to_learn(const Shape& shape) {
  return ones(shape, {.requires_grad = true});
}

Tensor zeros_to_learn(const Shape& shape) {
  return zeros(shape, {.requires_grad = true});
}

}  // namespace

BatchNorm::BatchNorm(const char* layer, std::int64_t channels, const Options& options)
    : options_(options) {
  check_channels(layer, channels);
  check_epsilon(layer, options.epsilon);
  if (!(options.momentum >= 0 && options.momentum <= 1)) {
    detail::reject("{}: momentum must be in [0, 1], got {}; it is the share of a new batch", layer,
                   options.momentum);
  }
  if (options.affine) {
    weight_ = ones_to_learn({channels});
    bias_ = zeros_to_learn({channels});
  }
  if (options.track_running_stats) {
    running_mean_ = zeros({channels});
    running_var_ = ones({channels});
  }
}

Tensor BatchNorm::apply(const Tensor& x, bool training) const {
  return batch_norm(x, running_mean_, running_var_, weight_, bias_,
                    {.training = training || !options_.track_running_stats,
                     .momentum = options_.momentum,
                     .epsilon = options_.epsilon});
}

void BatchNorm::show(Visitor& visitor) {
  visitor.parameter("weight", weight_);
  visitor.parameter("bias", bias_);
  visitor.buffer("running_mean", running_mean_);
  visitor.buffer("running_var", running_var_);
}

BatchNorm1d::BatchNorm1d(std::int64_t channels) : BatchNorm1d(channels, Options{}) {}

BatchNorm1d::BatchNorm1d(std::int64_t channels, const Options& options)
    : BatchNorm("BatchNorm1d", channels, options) {}

Tensor BatchNorm1d::forward(const Tensor& x) {
  if (x.rank() != 2 && x.rank() != 3) {
    detail::reject("BatchNorm1d: expects 2 or 3 axes, got {}; BatchNorm2d takes images",
                   to_string(x.shape()));
  }
  return apply(x, training());
}

BatchNorm2d::BatchNorm2d(std::int64_t channels) : BatchNorm2d(channels, Options{}) {}

BatchNorm2d::BatchNorm2d(std::int64_t channels, const Options& options)
    : BatchNorm("BatchNorm2d", channels, options) {}

Tensor BatchNorm2d::forward(const Tensor& x) {
  if (x.rank() != 4) {
    detail::reject("BatchNorm2d: expects 4 axes, got {}; BatchNorm1d takes 2 or 3",
                   to_string(x.shape()));
  }
  return apply(x, training());
}

LayerNorm::LayerNorm(const Shape& normalized) : LayerNorm(normalized, Options{}) {}

LayerNorm::LayerNorm(const Shape& normalized, const Options& options)
    : normalized_(normalized), epsilon_(options.epsilon) {
  check_epsilon("LayerNorm", options.epsilon);
  if (normalized.rank() == 0 || normalized.count() < 1) {
    detail::reject("LayerNorm: sizes must be positive, one at least, got {}",
                   to_string(normalized));
  }
  if (!options.affine) return;
  weight_ = ones_to_learn(normalized);
  if (options.bias) bias_ = zeros_to_learn(normalized);
}

Tensor LayerNorm::forward(const Tensor& x) {
  return layer_norm(x, normalized_, weight_, bias_, epsilon_);
}

void LayerNorm::visit(Visitor& visitor) {
  visitor.parameter("weight", weight_);
  visitor.parameter("bias", bias_);
}

GroupNorm::GroupNorm(std::int64_t groups, std::int64_t channels)
    : GroupNorm(groups, channels, Options{}) {}

GroupNorm::GroupNorm(std::int64_t groups, std::int64_t channels, const Options& options)
    : groups_(groups), channels_(channels), epsilon_(options.epsilon) {
  check_channels("GroupNorm", channels);
  check_epsilon("GroupNorm", options.epsilon);
  if (groups < 1 || channels % groups != 0) {
    detail::reject("GroupNorm: groups must divide the channels, got groups {}, channels {}", groups,
                   channels);
  }
  if (!options.affine) return;
  weight_ = ones_to_learn({channels});
  bias_ = zeros_to_learn({channels});
}

Tensor GroupNorm::forward(const Tensor& x) {
  if (x.rank() < 2 || x.size(1) != channels_) {
    detail::reject("GroupNorm: expects {} channels on axis 1, got {}", channels_,
                   to_string(x.shape()));
  }
  return group_norm(x, groups_, weight_, bias_, epsilon_);
}

void GroupNorm::visit(Visitor& visitor) {
  visitor.parameter("weight", weight_);
  visitor.parameter("bias", bias_);
}

}  // namespace backplane
