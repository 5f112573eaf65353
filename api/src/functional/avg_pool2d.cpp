// avg_pool2d and adaptive_avg_pool2d.
#include "functional/pooling.hpp"

namespace backplane {
namespace {

op::AvgPool2dParams params_of(const AvgPool2dOptions& o) {
  const Size2d stride = o.stride.value_or(o.kernel);
  return {{o.kernel.rows, o.kernel.columns},
          {stride.rows, stride.columns},
          {o.padding.top, o.padding.left, o.padding.bottom, o.padding.right},
          o.count_include_pad ? 1u : 0u};
}

}  // namespace

Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options) {
  detail::check_floating("avg_pool2d", x);
  detail::check_rank("avg_pool2d", "input", x, 4);
  const op::AvgPool2dParams params = params_of(options);
  detail::check_window("avg_pool2d", params.kernel, params.stride, params.padding);
  Shape shape = x.shape();
  for (int axis = 0; axis < 2; ++axis) {
    shape[2 + axis] =
        detail::pooled_size("avg_pool2d", x, axis,
                            {params.kernel[axis], params.stride[axis], params.padding[axis],
                             params.padding[axis + 2], options.ceil_mode});
  }
  const Tensor y = detail::run(Operation(op::AvgPool2d{params}), {x}, {x.dtype(), shape});
  return detail::record(
      "avg_pool2d", {x}, y, [params, like = detail::like(x)](const detail::BackwardCall& call) {
        return std::vector{
            detail::run(Operation(op::AvgPool2dBackward{params}), {call.gradient}, like)};
      });
}

Tensor adaptive_avg_pool2d(const Tensor& x, Size2d size) {
  detail::check_output_size("adaptive_avg_pool2d", x, size);
  const Tensor y = detail::run(Operation(op::AdaptiveAvgPool2d{}), {x},
                               {x.dtype(), {x.size(0), x.size(1), size.rows, size.columns}});
  return detail::record(
      "adaptive_avg_pool2d", {x}, y, [like = detail::like(x)](const detail::BackwardCall& call) {
        return std::vector{
            detail::run(Operation(op::AdaptiveAvgPool2dBackward{}), {call.gradient}, like)};
      });
}

}  // namespace backplane
