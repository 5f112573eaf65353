// conv_transpose2d: forward is the data gradient of conv2d, so its gradients are conv2d's forward
// and weight gradient with the roles of input and output exchanged.
#include <array>

#include "functional/convolution.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::describe;
using detail::reject;
using detail::SavedTensor;

namespace {

void check_operands(const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const ConvTranspose2dOptions& o) {
  detail::check_same_type("conv_transpose2d", x, weight);
  detail::check_floating("conv_transpose2d", x);
  detail::check_rank("conv_transpose2d", "input", x, 4);
  detail::check_rank("conv_transpose2d", "weight", weight, 4);
  if (x.size(1) != weight.size(0)) {
    reject("conv_transpose2d: weight expects {} input channels, input has {} (input {}, weight {})",
           weight.size(0), x.size(1), describe(x), describe(weight));
  }
  if (x.size(1) % o.groups != 0) {
    reject("conv_transpose2d: {} input channels don't divide into {} groups (input {})", x.size(1),
           o.groups, describe(x));
  }
  detail::check_bias("conv_transpose2d", x, bias, weight.size(1) * o.groups);
  const Size2d extra = o.output_padding;
  if (extra.rows < 0 || extra.rows >= o.stride.rows || extra.columns < 0 ||
      extra.columns >= o.stride.columns) {
    reject(
        "conv_transpose2d: output_padding must be from 0 to below the stride, got {}x{} and "
        "stride {}x{}",
        extra.rows, extra.columns, o.stride.rows, o.stride.columns);
  }
}

std::int64_t output_size(const Tensor& x, const Tensor& weight, std::int64_t axis,
                         std::int64_t stride, std::int64_t padding, std::int64_t dilation,
                         std::int64_t extra) {
  const std::int64_t size =
      (x.size(axis) - 1) * stride - padding + dilation * (weight.size(axis) - 1) + extra + 1;
  if (x.size(axis) < 1 || weight.size(axis) < 1 || size < 1) {
    reject(
        "conv_transpose2d: the output would have {} rows or columns; it must have one at least "
        "(input {}, weight {})",
        size, describe(x), describe(weight));
  }
  return size;
}

Shape output_shape(const Tensor& x, const Tensor& w, const ConvTranspose2dOptions& o) {
  const Padding2d& p = o.padding;
  return {
      x.size(0), w.size(1) * o.groups,
      output_size(x, w, 2, o.stride.rows, p.top + p.bottom, o.dilation.rows, o.output_padding.rows),
      output_size(x, w, 3, o.stride.columns, p.left + p.right, o.dilation.columns,
                  o.output_padding.columns)};
}

std::vector<Tensor> gradients(const op::Conv2dParams& params, const Tensor& x, const Tensor& weight,
                              const BackwardCall& call) {
  std::vector<Tensor> grads(2);
  const Tensor& dy = call.gradient;
  if (call.needs(0)) {
    grads[0] = detail::run(Operation(op::Conv2d{params}), {dy, weight}, detail::like(x));
  }
  if (call.needs(1)) {
    grads[1] =
        detail::run(Operation(op::Conv2dBackwardWeight{params}), {dy, x}, detail::like(weight));
  }
  return grads;
}

}  // namespace

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose2dOptions& options) {
  const op::Conv2dParams params = detail::conv2d_params(options);
  detail::check_params("conv_transpose2d", params);
  check_operands(x, weight, bias, options);
  const detail::Output output{x.dtype(), output_shape(x, weight, options)};
  Tensor y = detail::run(Operation(op::Conv2dBackwardData{params}), {x, weight}, output);
  if (detail::records({x, weight})) {
    y = detail::record(
        "conv_transpose2d", {x, weight}, y,
        [params, x = SavedTensor(x), w = SavedTensor(weight)](const BackwardCall& call) {
          return gradients(params, x.get("conv_transpose2d"), w.get("conv_transpose2d"), call);
        });
  }
  return bias.defined() ? y + bias.reshape({bias.size(0), 1, 1}) : y;
}

}  // namespace backplane
