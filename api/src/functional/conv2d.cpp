// conv2d and its two gradients.
#include <array>

#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::describe;
using detail::reject;
using detail::SavedTensor;

namespace {

op::Conv2dParams params_of(const Conv2dOptions& o) {
  return {{o.stride.rows, o.stride.columns},
          {o.padding.top, o.padding.left, o.padding.bottom, o.padding.right},
          {o.dilation.rows, o.dilation.columns},
          o.groups};
}

void check_options(const Conv2dOptions& o) {
  if (o.stride.rows < 1 || o.stride.columns < 1 || o.dilation.rows < 1 || o.dilation.columns < 1) {
    reject("conv2d: stride and dilation must be at least 1, got stride {}x{} and dilation {}x{}",
           o.stride.rows, o.stride.columns, o.dilation.rows, o.dilation.columns);
  }
  const Padding2d& p = o.padding;
  if (p.top < 0 || p.left < 0 || p.bottom < 0 || p.right < 0) {
    reject("conv2d: padding can't be negative, got {},{},{},{}", p.top, p.left, p.bottom, p.right);
  }
  if (o.groups < 1) reject("conv2d: groups must be at least 1, got {}", o.groups);
}

void check_operands(const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const Conv2dOptions& o) {
  detail::check_same_type("conv2d", x, weight);
  detail::check_floating("conv2d", x);
  detail::check_rank("conv2d", "input", x, 4);
  detail::check_rank("conv2d", "weight", weight, 4);
  if (x.size(1) != weight.size(1) * o.groups) {
    reject("conv2d: weight expects {} input channels, input has {} (input {}, weight {}, groups {})",
           weight.size(1) * o.groups, x.size(1), describe(x), describe(weight), o.groups);
  }
  if (weight.size(0) % o.groups != 0) {
    reject("conv2d: {} output channels don't divide into {} groups (weight {})", weight.size(0),
           o.groups, describe(weight));
  }
  if (!bias.defined()) return;
  detail::check_same_type("conv2d", x, bias);
  if (bias.shape() != Shape{weight.size(0)}) {
    reject("conv2d: bias expects one value for each of {} output channels, got {}", weight.size(0),
           describe(bias));
  }
}

std::int64_t output_size(const Tensor& x, const Tensor& weight, std::int64_t padded,
                         std::int64_t kernel, std::int32_t dilation, std::int32_t stride) {
  const std::int64_t extent = dilation * (kernel - 1) + 1;
  if (kernel < 1 || padded < extent) {
    reject("conv2d: the kernel covers {} of {} padded rows or columns; it must fit (input {}, "
           "weight {})",
           extent, padded, describe(x), describe(weight));
  }
  return (padded - extent) / stride + 1;
}

Shape output_shape(const Tensor& x, const Tensor& w, const Conv2dOptions& o) {
  const Padding2d& p = o.padding;
  return {x.size(0), w.size(0),
          output_size(x, w, x.size(2) + p.top + p.bottom, w.size(2), o.dilation.rows,
                      o.stride.rows),
          output_size(x, w, x.size(3) + p.left + p.right, w.size(3), o.dilation.columns,
                      o.stride.columns)};
}

std::vector<Tensor> gradients(const op::Conv2dParams& params, const Tensor& x, const Tensor& weight,
                              const BackwardCall& call) {
  std::vector<Tensor> grads(3);
  const Tensor& dy = call.gradient;
  if (call.needs(0)) {
    grads[0] = detail::run(Operation(op::Conv2dBackwardData{params}), {dy, weight}, detail::like(x));
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
  check_options(options);
  check_operands(x, weight, bias, options);
  const op::Conv2dParams params = params_of(options);
  const detail::Output output{x.dtype(), output_shape(x, weight, options)};
  const Operation operation(op::Conv2d{params});
  const Tensor y = bias.defined() ? detail::run(operation, {x, weight, bias}, output)
                                  : detail::run(operation, {x, weight}, output);
  if (!detail::records({x, weight, bias})) return y;
  return detail::record("conv2d", {x, weight, bias}, y,
                        [params, x = SavedTensor(x), w = SavedTensor(weight)](
                            const BackwardCall& call) {
                          return gradients(params, x.get("conv2d"), w.get("conv2d"), call);
                        });
}

}  // namespace backplane
