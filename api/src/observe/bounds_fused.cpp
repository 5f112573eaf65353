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

// Whether a device may choose otherwise in the window of output (h, w) of a plane: another element
// can't be told from the largest, or the largest can't be told from 0.
bool is_open(const op::Conv2dReluMaxPoolParams& p, const Dense& dense, std::size_t plane,
             std::int64_t h, std::int64_t w) {
  double top = 0, top_bound = 0, second = -std::numeric_limits<double>::infinity();
  for (std::int64_t tap = 0; tap < std::int64_t{p.pool_kernel[0]} * p.pool_kernel[1]; ++tap) {
    const std::int64_t row = h * p.pool_stride[0] - p.pool_padding[0] + tap / p.pool_kernel[1];
    const std::int64_t column = w * p.pool_stride[1] - p.pool_padding[1] + tap % p.pool_kernel[1];
    if (row < 0 || row >= dense.shape[2] || column < 0 || column >= dense.shape[3]) continue;
    const auto at = plane + static_cast<std::size_t>(row * dense.shape[3] + column);
    const double value = dense.values[at], bound = dense.bounds[at];
    if (std::isnan(value)) return false;  // wins everywhere
    if (std::abs(value) <= bound && value + bound > top - top_bound) return true;
    if (value > top) {
      second = std::max(second, top > 0 ? top + top_bound : second);
      top = value;
      top_bound = bound;
    } else {
      second = std::max(second, value + bound);
    }
  }
  return top > 0 && second >= top - top_bound;
}

std::vector<double> winner_bounds(const BoundRequest& request,
                                  const op::Conv2dReluMaxPoolParams& params) {
  const Dense dense = dense_of(request, params);
  const Shape& y = request.expected[1].shape();
  std::vector<double> bounds(static_cast<std::size_t>(y.count()), 0.0);
  std::size_t i = 0;
  for (std::int64_t plane = 0; plane < y[0] * y[1]; ++plane) {
    const auto first = static_cast<std::size_t>(plane * dense.shape[2] * dense.shape[3]);
    for (std::int64_t h = 0; h < y[2]; ++h) {
      for (std::int64_t w = 0; w < y[3]; ++w, ++i) {
        if (is_open(params, dense, first, h, w))
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
