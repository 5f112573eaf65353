// conv2d and its two gradients.
#include <array>

#include "functional/convolution.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::SavedTensor;

namespace {

Shape output_shape(const Tensor& x, const Tensor& w, const Conv2dOptions& o) {
  const Padding2d& p = o.padding;
  return {
      x.size(0), w.size(0),
      detail::places("conv2d", x, w, 2, p.top + p.bottom, o.dilation.rows, o.stride.rows),
      detail::places("conv2d", x, w, 3, p.left + p.right, o.dilation.columns, o.stride.columns)};
}

std::vector<Tensor> gradients(const op::Conv2dParams& params, const Tensor& x, const Tensor& weight,
                              const BackwardCall& call) {
  std::vector<Tensor> grads(3);
  const Tensor& dy = call.gradient;
  if (call.needs(0)) {
    grads[0] =
        detail::run(Operation(op::Conv2dBackwardData{params}), {dy, weight}, detail::like(x));
  }
  if (!call.needs(1) && !call.needs(2)) return grads;
  const std::array inputs{detail::plain_handle(x), dy};
  const std::array outputs{detail::like(weight), detail::Output{x.dtype(), {weight.size(0)}}};
  const auto made = detail::run(Operation(op::Conv2dBackwardWeight{params}), inputs,
                                std::span(outputs).first(call.needs(2) ? 2 : 1));
  grads[1] = made[0];
  if (call.needs(2)) grads[2] = made[1];
  return grads;
}

}  // namespace

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv2dOptions& options) {
  const op::Conv2dParams params = detail::conv2d_params(options);
  detail::check_params("conv2d", params);
  detail::check_operands("conv2d", x, weight, bias, 4, options.groups);
  const detail::Output output{x.dtype(), output_shape(x, weight, options)};
  const Operation operation(op::Conv2d{params});
  const Tensor y = bias.defined() ? detail::run(operation, {x, weight, bias}, output)
                                  : detail::run(operation, {x, weight}, output);
  if (!detail::records({x, weight, bias})) return y;
  return detail::record(
      "conv2d", {x, weight, bias}, y,
      [params, x = SavedTensor(x), w = SavedTensor(weight)](const BackwardCall& call) {
        return gradients(params, x.get("conv2d"), w.get("conv2d"), call);
      });
}

}  // namespace backplane
