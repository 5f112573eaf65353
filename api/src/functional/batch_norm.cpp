// batch_norm: lines over samples and positions, and the running statistics.
#include <array>

#include "backplane/autograd.hpp"
#include "functional/normalization.hpp"

namespace backplane {

using detail::describe;
using detail::reject;

namespace {

constexpr auto name = "batch_norm";

void check_operands(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                    const BatchNormOptions& options) {
  detail::check_channels(name, x);
  detail::check_epsilon(name, options.epsilon);
  if (!(options.momentum >= 0 && options.momentum <= 1)) {
    reject("batch_norm: momentum must be in [0, 1], got {}", options.momentum);
  }
  if (running_mean.defined() != running_var.defined()) {
    reject("batch_norm: running_mean and running_var come together, got only {}",
           running_mean.defined() ? "running_mean" : "running_var");
  }
  if (!options.training && !running_mean.defined()) {
    reject("batch_norm: outside training it takes running_mean and running_var, got neither");
  }
  detail::check_for_channels(name, "running_mean", running_mean, x);
  detail::check_for_channels(name, "running_var", running_var, x);
}

// running = (1 - momentum) * running + momentum * factor * batch, without a host read.
void update(const Tensor& running, const Tensor& batch, double momentum, double factor) {
  const Operation keep(op::Affine{}, {1 - momentum, 0});
  detail::run_in_place(keep, std::array{detail::plain_handle(running)}, std::array{running});
  const Tensor news = affine(batch.reshape(running.shape()), momentum * factor, 0);
  detail::run_in_place(Operation(op::Add{}), std::array{detail::plain_handle(running), news},
                       std::array{running});
}

Tensor in_training(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                   const BatchNormOptions& options) {
  std::int64_t values = x.size(0);
  std::uint32_t axes = 1;
  for (std::size_t axis = 2; axis < x.rank(); ++axis) {
    values *= x.shape()[axis];
    axes |= 1u << axis;
  }
  if (values < 2) {
    reject(
        "batch_norm: training takes more than one value a channel, got {} (input {}); make the "
        "batch larger or call eval()",
        values, describe(x));
  }
  const detail::Standardized batch = detail::standardize(name, x, axes, options.epsilon);
  if (running_mean.defined()) {
    const NoGradGuard no_graph;
    const auto count = static_cast<double>(values);
    update(running_mean, batch.mean, options.momentum, 1);
    update(running_var, batch.variance, options.momentum, count / (count - 1));
  }
  return batch.y;
}

}  // namespace

Tensor batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                  const Tensor& weight, const Tensor& bias, const BatchNormOptions& options) {
  check_operands(x, running_mean, running_var, options);
  detail::check_for_channels(name, "weight", weight, x);
  detail::check_for_channels(name, "bias", bias, x);
  if (options.training) {
    return detail::weighted(in_training(x, running_mean, running_var, options),
                            detail::by_channel(weight, x), detail::by_channel(bias, x));
  }
  // The statistics are constants, so all of it is one scale and one shift for each channel.
  Tensor scale = rsqrt(running_var.detach() + options.epsilon);
  if (weight.defined()) scale = scale * weight;
  Tensor shift = -(running_mean.detach() * scale);
  if (bias.defined()) shift = shift + bias;
  return scale_shift(x, detail::by_channel(scale, x), detail::by_channel(shift, x));
}

}  // namespace backplane
