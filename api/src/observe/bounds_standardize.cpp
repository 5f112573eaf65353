// Error bounds of standardize and its gradient.
//
// Each line is judged by its own magnitudes. The mean errs by dm = u * (g(n) + 2) * mean|x|. In the
// sum of squares around it the terms linear in dm cancel, since x - mean adds up to 0, and leave
// dm^2: the variance errs by dv = u * (g(n) + 5) * (variance + dm^2) + dm^2. A relative error of
// dv / (2 (variance + epsilon)) is what 1 / sqrt(variance + epsilon) makes of it.
#include <cmath>

#include "observe/bounds.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

// To which line each element of a row-major tensor belongs, lines being numbered in that order too.
struct Lines {
  std::vector<std::size_t> of_each;
  std::size_t count = 1;
  double length = 1;

  Lines(const Shape& shape, std::uint32_t axes) : of_each(static_cast<std::size_t>(shape.count())) {
    std::vector<std::size_t> steps(shape.rank());
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      const auto size = static_cast<std::size_t>(shape[axis]);
      const bool along = (axes >> axis & 1) != 0;
      steps[axis] = along ? 0 : count;
      if (along) length *= static_cast<double>(size);
      if (!along) count *= size;
    }
    for (std::size_t i = 0; i < of_each.size(); ++i) {
      std::size_t rest = i;
      for (std::size_t axis = shape.rank(); axis-- > 0;) {
        const auto size = static_cast<std::size_t>(shape[axis]);
        of_each[i] += rest % size * steps[axis];
        rest /= size;
      }
    }
  }

  // The mean of value(element) over each line.
  template <class Value>
  [[nodiscard]] std::vector<double> means(const Value& value) const {
    std::vector<double> result(count);
    for (std::size_t i = 0; i < of_each.size(); ++i) result[of_each[i]] += value(i) / length;
    return result;
  }
};

}  // namespace

Bounds standardize_bounds(const BoundRequest& request) {
  const auto& params = *request.operation.as<op::Standardize>();
  const Lines lines(request.inputs[0].shape(), params.axes);
  const std::vector<double> x = as_doubles(request.inputs[0]);
  const std::vector<double> y = as_doubles(request.expected[0]);
  const std::vector<double> mean = as_doubles(request.expected[1]);
  const std::vector<double> variance = as_doubles(request.expected[2]);
  const Precision p = precision_of(request.expected[0].dtype());
  const double sum_units = growth(lines.length);

  Bounds bounds{std::vector<double>(x.size()), std::vector<double>(lines.count),
                std::vector<double>(lines.count)};
  std::vector<double>& mean_bound = bounds[1];
  mean_bound = lines.means([&](std::size_t i) { return std::abs(x[i]); });
  std::vector<double> relative(lines.count), factor(lines.count);
  for (std::size_t line = 0; line < lines.count; ++line) {
    const double dm = p.unit * (sum_units + 2) * mean_bound[line];
    const double dv = p.unit * (sum_units + 5) * (variance[line] + dm * dm) + dm * dm;
    factor[line] = 1 / std::sqrt(variance[line] + static_cast<double>(params.epsilon));
    relative[line] = dv * factor[line] * factor[line] / 2 + p.unit * elementary;
    mean_bound[line] = dm + 2 * p.store * std::abs(mean[line]) + p.tiny;
    bounds[2][line] = dv + 2 * p.store * variance[line] + p.tiny;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t line = lines.of_each[i];
    bounds[0][i] = factor[line] * (mean_bound[line] + p.unit * std::abs(mean[line])) +
                   (relative[line] + 3 * p.unit + 2 * p.store) * std::abs(y[i]) + p.tiny;
  }
  return bounds;
}

// (dy - mean(dy) - y * mean(dy * y)) / sqrt(variance + epsilon): three terms that may cancel, two
// of them with the error of a sum.
Bounds standardize_backward_bounds(const BoundRequest& request) {
  const auto& params = *request.operation.as<op::StandardizeBackward>();
  const Lines lines(request.expected[0].shape(), params.axes);
  const std::vector<double> dy = as_doubles(request.inputs[0]), y = as_doubles(request.inputs[1]);
  const std::vector<double> variance = as_doubles(request.inputs[2]);
  const std::vector<double> expected = as_doubles(request.expected[0]);
  const Precision p = precision_of(request.expected[0].dtype());
  const auto mean = lines.means([&](std::size_t i) { return std::abs(dy[i]); });
  const auto products = lines.means([&](std::size_t i) { return std::abs(dy[i] * y[i]); });
  const double sum_units = growth(lines.length) + elementary + 7;

  Bounds bounds{std::vector<double>(dy.size())};
  for (std::size_t i = 0; i < dy.size(); ++i) {
    const std::size_t line = lines.of_each[i];
    const double sums = mean[line] + std::abs(y[i]) * products[line];
    const double units = (elementary + 4) * std::abs(dy[i]) + sum_units * sums;
    bounds[0][i] =
        p.unit * units / std::sqrt(variance[line] + static_cast<double>(params.epsilon)) +
        2 * p.store * std::abs(expected[i]) + p.tiny;
  }
  return bounds;
}

}  // namespace backplane::detail
