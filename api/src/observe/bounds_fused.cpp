// Bounds of fused operations, from those of the sums inside them.
//
// max(x, 0), the logistic function, tanh and the largest of a window have slopes of at most 1: an
// error of a sum arrives no larger than it was.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "observe/bounds.hpp"
#include "observe/magnitudes.hpp"
#include "observe/reference_run.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

Bounds activated(const BoundRequest& request, const Operation& sum, op::Activation activation) {
  Bounds bounds = linear_bounds({sum, request.inputs, request.expected});
  if (activation == op::Activation::none || activation == op::Activation::relu) return bounds;
  const double unit = precision_of(request.expected[0].dtype()).unit;
  const std::vector<double> expected = as_doubles(request.expected[0]);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    bounds[0][i] += 4 * elementary * unit * std::abs(expected[i]);
  }
  return bounds;
}

// What the convolution gives before the pool, and how far a device may be from it.
struct Dense {
  Shape shape;
  std::vector<double> values, bounds;
};

Dense dense_of(const BoundRequest& request, const op::Conv2dReluMaxPoolParams& params) {
  const Operation conv(op::Conv2d{params.conv});
  const Shape &x = request.inputs[0].shape(), &w = request.inputs[1].shape();
  Shape shape{x[0], w[0], 0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t reach = params.conv.dilation[i] * (w[2 + i] - 1) + 1;
    const std::int64_t room =
        x[2 + i] + params.conv.padding[i] + params.conv.padding[2 + i] - reach;
    shape[2 + i] = room < 0 ? 0 : room / params.conv.stride[i] + 1;
  }
  const std::span<const Tensor> operands = request.inputs.first(3);
  const std::vector<TensorSpec> specs{{.dtype = DType::f64, .shape = shape}};
  const std::vector<Tensor> values = run_on_reference(conv, operands, specs, 0, {});
  // The reference judges in f64; the bound is that of the device's own type.
  std::vector<double> allowed = linear_bounds({conv, operands, values})[0];
  const double wider =
      precision_of(request.expected[0].dtype()).unit / precision_of(DType::f64).unit;
  for (double& bound : allowed) bound *= wider;
  return {shape, as_doubles(values[0]), std::move(allowed)};
}

// Calls visit(index in dense) for the elements of the window of output (h, w) of a plane.
template <class Visit>
void for_each_tap(const op::Conv2dReluMaxPoolParams& p, const Dense& dense, std::size_t plane,
                  std::int64_t h, std::int64_t w, const Visit& visit) {
  for (std::int64_t tap = 0; tap < std::int64_t{p.pool_kernel[0]} * p.pool_kernel[1]; ++tap) {
    const std::int64_t row = h * p.pool_stride[0] - p.pool_padding[0] + tap / p.pool_kernel[1];
    const std::int64_t column = w * p.pool_stride[1] - p.pool_padding[1] + tap % p.pool_kernel[1];
    if (row < 0 || row >= dense.shape[2] || column < 0 || column >= dense.shape[3]) continue;
    visit(plane + static_cast<std::size_t>(row * dense.shape[3] + column));
  }
}

// Whether a device may choose otherwise in that window: of the elements and of 0, which stands for
// no winner, more than one can be the largest.
bool is_open(const op::Conv2dReluMaxPoolParams& p, const Dense& dense, std::size_t plane,
             std::int64_t h, std::int64_t w) {
  double least = 0;  // what the largest is at least
  bool has_nan = false;
  for_each_tap(p, dense, plane, h, w, [&](std::size_t at) {
    has_nan |= std::isnan(dense.values[at]);
    least = std::max(least, dense.values[at] - dense.bounds[at]);
  });
  if (has_nan) return false;  // wins everywhere
  int possible = least == 0 ? 1 : 0;
  for_each_tap(p, dense, plane, h, w, [&](std::size_t at) {
    const double most = dense.values[at] + dense.bounds[at];
    if (most > 0 && most >= least) ++possible;
  });
  return possible > 1;
}

// A channel that the mask drops has no winner on any device.
std::vector<double> winner_bounds(const BoundRequest& request,
                                  const op::Conv2dReluMaxPoolParams& params) {
  const Dense dense = dense_of(request, params);
  const bool has_mask = request.inputs.size() > 3;
  const std::vector<double> mask = has_mask ? as_doubles(request.inputs[3]) : std::vector<double>();
  const Shape& y = request.expected[1].shape();
  std::vector<double> bounds(static_cast<std::size_t>(y.count()), 0.0);
  std::size_t i = 0;
  for (std::int64_t plane = 0; plane < y[0] * y[1]; ++plane) {
    const bool dropped = has_mask && mask[static_cast<std::size_t>(plane)] == 0;
    const auto first = static_cast<std::size_t>(plane * dense.shape[2] * dense.shape[3]);
    for (std::int64_t h = 0; h < y[2]; ++h) {
      for (std::int64_t w = 0; w < y[3]; ++w, ++i) {
        if (!dropped && is_open(params, dense, first, h, w))
          bounds[i] = std::numeric_limits<double>::infinity();
      }
    }
  }
  return bounds;
}

}  // namespace

Bounds conv2d_activation_bounds(const BoundRequest& request) {
  const auto& op = *request.operation.as<op::Conv2dActivation>();
  return activated(request, Operation(op::Conv2d{op}), op.activation);
}

Bounds matmul_activation_bounds(const BoundRequest& request) {
  return activated(request, Operation(op::Matmul{}),
                   request.operation.as<op::MatmulActivation>()->activation);
}

Bounds conv2d_relu_max_pool_bounds(const BoundRequest& request) {
  const auto& params = *request.operation.as<op::Conv2dReluMaxPool>();
  Bounds bounds = linear_bounds(request);
  bounds[1] = winner_bounds(request, params);
  return bounds;
}

}  // namespace backplane::detail
