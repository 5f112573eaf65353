// max_pool2d, with the winner of each window.
#include <array>

#include "functional/operands.hpp"

namespace backplane {

using detail::describe;
using detail::reject;

namespace {

op::MaxPool2dParams params_of(const MaxPool2dOptions& o) {
  const Size2d stride = o.stride.value_or(o.kernel);
  return {{o.kernel.rows, o.kernel.columns},
          {stride.rows, stride.columns},
          {o.padding.top, o.padding.left, o.padding.bottom, o.padding.right},
          {o.dilation.rows, o.dilation.columns}};
}

void check_params(const op::MaxPool2dParams& p) {
  for (int i = 0; i < 2; ++i) {
    if (p.kernel[i] < 1 || p.stride[i] < 1 || p.dilation[i] < 1) {
      reject("max_pool2d: kernel, stride and dilation must be at least 1, got kernel {}x{}, stride "
             "{}x{}, dilation {}x{}",
             p.kernel[0], p.kernel[1], p.stride[0], p.stride[1], p.dilation[0], p.dilation[1]);
    }
  }
  for (const std::int32_t padding : p.padding) {
    if (padding < 0) {
      reject("max_pool2d: padding can't be negative, got {},{},{},{}", p.padding[0], p.padding[1],
             p.padding[2], p.padding[3]);
    }
  }
  if (std::int64_t{p.kernel[0]} * p.kernel[1] > 65534) {
    reject("max_pool2d: a window may have at most 65534 elements, kernel {}x{} has more",
           p.kernel[0], p.kernel[1]);
  }
}

std::int64_t output_size(const Tensor& x, const op::MaxPool2dParams& p, int axis) {
  const std::int64_t extent = std::int64_t{p.dilation[axis]} * (p.kernel[axis] - 1) + 1;
  const std::int64_t padded = x.size(2 + axis) + p.padding[axis] + p.padding[axis + 2];
  if (padded < extent) {
    reject("max_pool2d: a window covers {} of {} padded rows or columns; it must fit (input {})",
           extent, padded, describe(x));
  }
  return (padded - extent) / p.stride[axis] + 1;
}

}  // namespace

std::pair<Tensor, Tensor> max_pool2d_with_winners(const Tensor& x,
                                                  const MaxPool2dOptions& options) {
  detail::check_floating("max_pool2d", x);
  detail::check_rank("max_pool2d", "input", x, 4);
  const op::MaxPool2dParams params = params_of(options);
  check_params(params);
  const Shape shape{x.size(0), x.size(1), output_size(x, params, 0), output_size(x, params, 1)};
  const bool narrow = params.kernel[0] * params.kernel[1] <= 254;
  const std::array outputs{detail::Output{x.dtype(), shape},
                           detail::Output{narrow ? DType::u8 : DType::u16, shape}};
  const std::array inputs{detail::plain_handle(x)};
  const auto made = detail::run(Operation(op::MaxPool2d{params}), inputs, outputs);
  if (!detail::records({x})) return {made[0], made[1]};
  const Tensor y = detail::record(
      "max_pool2d", {x}, made[0],
      [params, like = detail::like(x), winners = detail::SavedTensor(made[1])](
          const detail::BackwardCall& call) {
        return std::vector{detail::run(Operation(op::MaxPool2dBackward{params}),
                                       {call.gradient, winners.get("max_pool2d")}, like)};
      });
  return {y, made[1]};
}

Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options) {
  return max_pool2d_with_winners(x, options).first;
}

}  // namespace backplane
