// Central differences in float64: a second opinion on gradients, beside the adjoint identity.
#include "differences.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "backplane/autograd.hpp"
#include "backplane/functional.hpp"
#include "data.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Values = std::vector<std::vector<double>>;

std::vector<Tensor> tensors(const Values& values, const Differentiable& function, DType dtype,
                            Device device) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.push_back(host_tensor(values[i], function.inputs[i].shape, dtype).to(device));
  }
  return result;
}

// The sum of all outputs, each with a weight of its own: its gradient has every output's in it.
double weighed(const Tensor& y) {
  const std::vector<double> values = host_values(y.cpu().contiguous());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] * (1 + static_cast<double>(i % 7) / 4);
  }
  return sum;
}

Tensor weights_like(const Tensor& y) {
  std::vector<double> weights(static_cast<std::size_t>(y.count()));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = 1 + static_cast<double>(i % 7) / 4;
  }
  return host_tensor(weights, y.shape(), y.dtype()).to(y.device());
}

Values gradients(Device device, const Differentiable& function, const Values& at) {
  std::vector<Tensor> inputs = tensors(at, function, DType::f32, device);
  for (Tensor& input : inputs) input.set_requires_grad(true);
  const Tensor y = function.call(inputs);
  backward(y, weights_like(y));
  Values result;
  for (const Tensor& input : inputs) {
    result.push_back(host_values(input.grad().cpu().contiguous()));
  }
  return result;
}

// Draws whose values f32 has exactly, so that both sides differentiate at one place.
Values draw(const Differentiable& function) {
  std::mt19937_64 random(20240607);
  Values values;
  for (const Differentiable::Input& input : function.inputs) {
    std::vector<double>& list = values.emplace_back(static_cast<std::size_t>(input.shape.count()));
    reals(input.low, input.high)({random, 1}, list);
    for (double& value : list) value = static_cast<float>(value);
  }
  return values;
}

}  // namespace

std::string difference_fault(Device device, const Differentiable& function) {
  const Device reference = backplane::device("reference:0");
  Values at = draw(function);
  const Values found = gradients(device, function, at);
  const NoGradGuard no_grad;
  const auto value = [&] {
    return weighed(function.call(tensors(at, function, DType::f64, reference)));
  };
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t j = 0; j < at[i].size(); ++j) {
      const double x = at[i][j], step = 1e-6 * std::max(1.0, std::abs(x));
      at[i][j] = x + step;
      const double above = value();
      at[i][j] = x - step;
      const double below = value();
      at[i][j] = x;
      const double expected = (above - below) / (2 * step);
      // In this form a NaN fails.
      if (std::abs(found[i][j] - expected) <= 1e-4 * std::max(1.0, std::abs(expected))) continue;
      return fmt::format("the gradient of element {} of input {} is {}, differences say {}", j, i,
                         found[i][j], expected);
    }
  }
  return "";
}

}  // namespace conformance
