// max_pool2d, with the winner of each window.
#include <array>

#include "functional/pooling.hpp"

namespace backplane {

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
  detail::check_window("max_pool2d", p.kernel, p.stride, p.padding);
  if (p.dilation[0] < 1 || p.dilation[1] < 1) {
    reject("max_pool2d: dilation must be at least 1, got {}x{}", p.dilation[0], p.dilation[1]);
  }
  if (std::int64_t{p.kernel[0]} * p.kernel[1] > 65534) {
    reject("max_pool2d: a window may have at most 65534 elements, kernel {}x{} has more",
           p.kernel[0], p.kernel[1]);
  }
}

}  // namespace

std::pair<Tensor, Tensor> max_pool2d_with_winners(const Tensor& x,
                                                  const MaxPool2dOptions& options) {
  detail::check_floating("max_pool2d", x);
  detail::check_rank("max_pool2d", "input", x, 4);
  const op::MaxPool2dParams params = params_of(options);
  check_params(params);
  Shape shape = x.shape();
  for (int axis = 0; axis < 2; ++axis) {
    shape[2 + axis] = detail::pooled_size(
        "max_pool2d", x, axis,
        {std::int64_t{params.dilation[axis]} * (params.kernel[axis] - 1) + 1, params.stride[axis],
         params.padding[axis], params.padding[axis + 2], options.ceil_mode});
  }
  const bool narrow = params.kernel[0] * params.kernel[1] <= 254;
  const std::array outputs{detail::Output{x.dtype(), shape},
                           detail::Output{narrow ? DType::u8 : DType::u16, shape}};
  const std::array inputs{detail::plain_handle(x)};
  const auto made = detail::run(Operation(op::MaxPool2d{params}), inputs, outputs);
  if (!detail::records({x})) return {made[0], made[1]};
  const Tensor y = detail::record(
      "max_pool2d", {x}, made[0],
      [params, like = detail::like(x),
       winners = detail::SavedTensor(made[1])](const detail::BackwardCall& call) {
        return std::vector{detail::run(Operation(op::MaxPool2dBackward{params}),
                                       {call.gradient, winners.get("max_pool2d")}, like)};
      });
  return {y, made[1]};
}

Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options) {
  return max_pool2d_with_winners(x, options).first;
}

}  // namespace backplane
