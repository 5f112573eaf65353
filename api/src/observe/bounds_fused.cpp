// Bounds of fused operations, from those of the sums inside them.
//
// max(x, 0), the logistic function, tanh and the largest of a window have slopes of at most 1: an
// error of a sum arrives no larger than it was.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "backplane/plugin/parts.hpp"
#include "dispatch/planning.hpp"
#include "observe/bounds.hpp"
#include "observe/magnitudes.hpp"
#include "observe/reference_run.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

// From the bounds of the sums.
Bounds activated(const BoundRequest& request, op::Activation activation, Bounds bounds) {
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

Shape dense_shape(const op::Conv2dReluMaxPoolParams& params, const Tensor& x, const Tensor& w) {
  const bp_tensor_desc result = plugin::convolution_result(params.conv, describe_tensor(*x.impl()),
                                                           describe_tensor(*w.impl()));
  return Shape(std::span(result.dims, result.rank));
}

Dense dense_of(const BoundRequest& request, const op::Conv2dReluMaxPoolParams& params) {
  const Operation conv(op::Conv2d{params.conv});
  const Shape shape = dense_shape(params, request.inputs[0], request.inputs[1]);
  const std::span<const Tensor> operands = request.inputs.first(3);
  const std::vector<TensorSpec> specs{{.dtype = DType::f64, .shape = shape}};
  const std::vector<Tensor> values = run_on_reference(conv, operands, specs, 0, {});
  // The reference judges in f64; the bound is that of the device's own type.
  std::vector<double> allowed =
      conv2d_bounds({conv, operands, values, 0, {}, request.numerics}, params.conv)[0];
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

// y may be as far off as what it may be taken from. A channel that the mask drops has no winner on
// any device.
void bound_windows(const BoundRequest& request, const op::Conv2dReluMaxPoolParams& params,
                   std::vector<double>& y_bounds, std::vector<double>& winner_bounds) {
  const Dense dense = dense_of(request, params);
  const bool has_mask = request.inputs.size() > 3;
  const std::vector<double> mask = has_mask ? as_doubles(request.inputs[3]) : std::vector<double>();
  const Shape& y = request.expected[1].shape();
  winner_bounds.assign(static_cast<std::size_t>(y.count()), 0.0);
  std::size_t i = 0;
  for (std::int64_t plane = 0; plane < y[0] * y[1]; ++plane) {
    const double factor = has_mask ? std::abs(mask[static_cast<std::size_t>(plane)]) : 1;
    const auto first = static_cast<std::size_t>(plane * dense.shape[2] * dense.shape[3]);
    for (std::int64_t h = 0; h < y[2]; ++h) {
      for (std::int64_t w = 0; w < y[3]; ++w, ++i) {
        if (factor == 0) continue;
        for_each_tap(params, dense, first, h, w, [&](std::size_t at) {
          y_bounds[i] = std::max(y_bounds[i], factor * dense.bounds[at]);
        });
        if (is_open(params, dense, first, h, w)) {
          winner_bounds[i] = std::numeric_limits<double>::infinity();
        }
      }
    }
  }
}

}  // namespace

Bounds conv2d_activation_bounds(const BoundRequest& request) {
  const auto& op = *request.operation.as<op::Conv2dActivation>();
  const Operation sum(op::Conv2d{op});
  return activated(
      request, op.activation,
      conv2d_bounds({sum, request.inputs, request.expected, 0, {}, request.numerics}, op));
}

Bounds matmul_activation_bounds(const BoundRequest& request) {
  const Operation sum(op::Matmul{});
  return activated(request, request.operation.as<op::MatmulActivation>()->activation,
                   linear_bounds({sum, request.inputs, request.expected}));
}

Bounds conv2d_relu_max_pool_bounds(const BoundRequest& request) {
  const auto& params = *request.operation.as<op::Conv2dReluMaxPool>();
  Bounds bounds = linear_bounds(request);
  bound_windows(request, params, bounds[0], bounds[1]);
  return bounds;
}

// The convolution's own, of what the winners make of dy.
Bounds conv2d_relu_max_pool_backward_data_bounds(const BoundRequest& request) {
  const auto& params = *request.operation.as<op::Conv2dReluMaxPoolBackwardData>();
  Bounds bounds = linear_bounds(request);
  if (request.numerics == Numerics::strict) return bounds;
  const Tensor& weight = request.inputs[2];
  const Shape shape = dense_shape(params, request.expected[0], weight);
  const std::vector<TensorSpec> specs{{.dtype = request.inputs[0].dtype(), .shape = shape}};
  const Operation spread(op::MaxPool2dBackward{plugin::pool_of(params)});
  const std::vector<Tensor> operands{
      run_on_reference(spread, request.inputs.first(2), specs, 0, {})[0], weight};
  const Operation conv(op::Conv2dBackwardData{params.conv});
  const Bounds dense =
      conv2d_backward_data_bounds({conv, operands, request.expected, 0, {}, request.numerics});
  for (std::size_t i = 0; i < bounds[0].size(); ++i) {
    bounds[0][i] = std::max(bounds[0][i], dense[0][i]);
  }
  return bounds;
}

}  // namespace backplane::detail
