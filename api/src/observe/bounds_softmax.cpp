// Error bounds of the softmax family and of cross entropy, which is built on it.
//
// With t = x - max and s = sum(exp(t)): each exp(t) errs by u * (|t| + elementary) relative to
// itself, since the rounding of t is amplified by t, so s errs by u * (weighted + elementary +
// g(n)) where weighted = sum(exp(t) * |t|) / s. A quotient adds both; a logarithm turns the
// relative error of s into an absolute one.
#include <algorithm>
#include <cmath>

#include "observe/bounds.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

// The elements of one line along an axis of a row-major tensor.
struct Line {
  std::size_t first, stride, length;
  [[nodiscard]] std::size_t at(std::size_t k) const { return first + k * stride; }
};

template <class Body>
void each_line(const Shape& shape, std::int64_t along, Body&& body) {
  const std::size_t axis = shape.axis(along, "softmax");
  const auto length = static_cast<std::size_t>(shape[axis]);
  std::size_t stride = 1;
  for (std::size_t i = axis + 1; i < shape.rank(); ++i)
    stride *= static_cast<std::size_t>(shape[i]);
  const auto count = static_cast<std::size_t>(shape.count());
  for (std::size_t block = 0; block < count; block += length * stride) {
    for (std::size_t k = 0; k < stride; ++k) body(Line{block + k, stride, length});
  }
}

// A term that has underflowed to 0 carries no error, however large its argument is.
double times(double factor, double error) {
  return factor == 0 ? 0 : factor * error;
}

struct LineError {
  double max, sum;
  double sum_error;  // of s, relative, in units of u
};

LineError line_error(const std::vector<double>& x, const Line& line) {
  double max = -INFINITY, sum = 0, weighted = 0;
  for (std::size_t k = 0; k < line.length; ++k) max = std::max(max, x[line.at(k)]);
  for (std::size_t k = 0; k < line.length; ++k) {
    const double t = x[line.at(k)] - max, e = std::exp(t);
    sum += e;
    weighted += times(e, std::abs(t));
  }
  return {max, sum, weighted / sum + elementary + growth(static_cast<double>(line.length))};
}

// Of x - max - log(s): the difference, the logarithm and the last subtraction are rounded.
std::vector<double> log_softmax_error(const Tensor& input, std::int64_t axis, DType type) {
  const std::vector<double> x = as_doubles(input);
  const Precision p = precision_of(type);
  std::vector<double> bound(x.size());
  each_line(input.shape(), axis, [&](const Line& line) {
    const LineError error = line_error(x, line);
    const double log_sum = std::log(error.sum);
    for (std::size_t k = 0; k < line.length; ++k) {
      const double t = x[line.at(k)] - error.max, y = std::abs(t - log_sum);
      bound[line.at(k)] = p.unit * (std::abs(t) + error.sum_error + elementary * log_sum + 2 * y) +
                          2 * p.store * y + p.tiny;
    }
  });
  return bound;
}

}  // namespace

Bounds softmax_bounds(const BoundRequest& request) {
  const std::vector<double> x = as_doubles(request.inputs[0]);
  const Precision p = precision_of(request.expected[0].dtype());
  Bounds bounds{as_doubles(request.expected[0])};
  std::vector<double>& bound = bounds.front();
  each_line(request.inputs[0].shape(), request.operation.as<op::Softmax>()->axis,
            [&](const Line& line) {
              const LineError error = line_error(x, line);
              for (std::size_t k = 0; k < line.length; ++k) {
                const double t = std::abs(x[line.at(k)] - error.max);
                const double units = t + elementary + error.sum_error + 3;
                const double y = bound[line.at(k)];
                bound[line.at(k)] = times(y, p.unit * units + 2 * p.store) + p.tiny;
              }
            });
  return bounds;
}

// y * (dy - sum(dy * y)): the sum's magnitudes and the two roundings after it.
Bounds softmax_backward_bounds(const BoundRequest& request) {
  const std::vector<double> dy = as_doubles(request.inputs[0]), y = as_doubles(request.inputs[1]);
  const std::vector<double> expected = as_doubles(request.expected[0]);
  const Precision p = precision_of(request.expected[0].dtype());
  Bounds bounds{std::vector<double>(dy.size())};
  each_line(request.inputs[0].shape(), request.operation.as<op::SoftmaxBackward>()->axis,
            [&](const Line& line) {
              double sum = 0;
              for (std::size_t k = 0; k < line.length; ++k)
                sum += std::abs(dy[line.at(k)] * y[line.at(k)]);
              const double units = growth(static_cast<double>(line.length)) + 3;
              for (std::size_t k = 0; k < line.length; ++k) {
                const std::size_t i = line.at(k);
                bounds.front()[i] = p.unit * std::abs(y[i]) * (3 * std::abs(dy[i]) + units * sum) +
                                    2 * p.store * std::abs(expected[i]) + p.tiny;
              }
            });
  return bounds;
}

Bounds log_softmax_bounds(const BoundRequest& request) {
  return {log_softmax_error(request.inputs[0], request.operation.as<op::LogSoftmax>()->axis,
                            request.expected[0].dtype())};
}

// dy - exp(y) * sum(dy).
Bounds log_softmax_backward_bounds(const BoundRequest& request) {
  const std::vector<double> dy = as_doubles(request.inputs[0]), y = as_doubles(request.inputs[1]);
  const std::vector<double> expected = as_doubles(request.expected[0]);
  const Precision p = precision_of(request.expected[0].dtype());
  Bounds bounds{std::vector<double>(dy.size())};
  each_line(request.inputs[0].shape(), request.operation.as<op::LogSoftmaxBackward>()->axis,
            [&](const Line& line) {
              double sum = 0;
              for (std::size_t k = 0; k < line.length; ++k) sum += std::abs(dy[line.at(k)]);
              const double units = growth(static_cast<double>(line.length)) + elementary + 3;
              for (std::size_t k = 0; k < line.length; ++k) {
                const std::size_t i = line.at(k);
                bounds.front()[i] = p.unit * (2 * std::abs(dy[i]) + units * std::exp(y[i]) * sum) +
                                    2 * p.store * std::abs(expected[i]) + p.tiny;
              }
            });
  return bounds;
}

// Losses are chosen log probabilities, added up; a label out of range has loss 0.
Bounds cross_entropy_bounds(const BoundRequest& request) {
  const Tensor& loss = request.expected[0];
  const op::Reduction reduction = request.operation.as<op::CrossEntropy>()->reduction;
  const std::vector<double> log_p = as_doubles(request.expected[1]);
  const std::vector<double> log_p_error =
      log_softmax_error(request.inputs[0], 1, request.expected[1].dtype());
  const std::vector<double> labels = as_doubles(request.inputs[1]);
  const auto classes = static_cast<std::size_t>(request.inputs[0].shape()[1]);
  const Precision p = precision_of(loss.dtype());

  std::vector<double> each(labels.size(), p.tiny);
  double error = 0, magnitude = 0;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    if (labels[n] < 0 || labels[n] >= static_cast<double>(classes)) continue;
    const std::size_t i = n * classes + static_cast<std::size_t>(labels[n]);
    each[n] += log_p_error[i] + 2 * p.store * std::abs(log_p[i]);
    error += log_p_error[i];
    magnitude += std::abs(log_p[i]);
  }
  if (reduction == op::Reduction::none) return {each, log_p_error};
  const auto count = static_cast<double>(labels.size());
  double total = error + (p.unit * (growth(count) + 3) + 2 * p.store) * magnitude;
  if (reduction == op::Reduction::mean) total /= count;
  return {{total + p.tiny}, log_p_error};
}

// (exp(log_p) - one_hot) * dloss: both terms stand for themselves, since they may cancel.
Bounds cross_entropy_backward_bounds(const BoundRequest& request) {
  const std::vector<double> dloss = as_doubles(request.inputs[0]);
  const std::vector<double> log_p = as_doubles(request.inputs[1]);
  const std::vector<double> labels = as_doubles(request.inputs[2]);
  const std::vector<double> expected = as_doubles(request.expected[0]);
  const auto classes = static_cast<std::size_t>(request.inputs[1].shape()[1]);
  const bool mean =
      request.operation.as<op::CrossEntropyBackward>()->reduction == op::Reduction::mean;
  const double scale = mean ? 1 / static_cast<double>(labels.size()) : 1;
  const Precision p = precision_of(request.expected[0].dtype());

  std::vector<double> bound(log_p.size());
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    const double label = labels[i / classes];
    if (label < 0 || label >= static_cast<double>(classes)) continue;  // a row of zeros, exactly
    const double hot = label == static_cast<double>(i % classes) ? 1 : 0;
    const double factor = std::abs(dloss[dloss.size() == 1 ? 0 : i / classes]) * scale;
    bound[i] = p.unit * (elementary + 5) * (std::exp(log_p[i]) + hot) * factor +
               2 * p.store * std::abs(expected[i]) + p.tiny;
  }
  return {bound};
}

}  // namespace backplane::detail
