// Every differentiable function's gradient against central differences in double.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "backplane/autograd.hpp"
#include "backplane/random.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

// Distinct values on both sides of 0, none near it.
std::vector<double> some_values(std::int64_t count, double phase) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = std::sin(1.7 * static_cast<double>(i) + phase);
    values.push_back(value + (value < 0 ? -0.1 : 0.1));
  }
  return values;
}

Tensor made(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, on_reference(DType::f64));
}

// One number of all outputs, each with a weight of its own.
Tensor weighted(const Tensor& y) {
  return sum(y * made(some_values(y.count(), 0.5), y.shape()));
}

double weighted_at(const Function& function, const std::vector<std::vector<double>>& values,
                   const std::vector<Shape>& shapes) {
  const NoGradGuard guard;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) inputs.push_back(made(values[i], shapes[i]));
  return weighted(function(inputs)).item<double>();
}

void check_gradients(const char* name, const std::vector<Shape>& shapes, const Function& function) {
  INFO(name);
  std::vector<std::vector<double>> values;
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) {
    values.push_back(some_values(shape.count(), static_cast<double>(values.size())));
    inputs.push_back(made(values.back(), shape).set_requires_grad());
  }
  weighted(function(inputs)).backward();
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    REQUIRE(inputs[i].grad().defined());
    CHECK(inputs[i].grad().shape() == shapes[i]);
    const auto gradient = inputs[i].grad().to_vector<double>();
    for (std::size_t element = 0; element < gradient.size(); ++element) {
      auto above = values, below = values;
      above[i][element] += step;
      below[i][element] -= step;
      const double expected =
          (weighted_at(function, above, shapes) - weighted_at(function, below, shapes)) /
          (2 * step);
      INFO("input ", i, " element ", element);
      CHECK(gradient[element] == doctest::Approx(expected).epsilon(1e-6));
    }
  }
}

using Inputs = std::vector<Tensor>;

}  // namespace

TEST_CASE("gradients: element-wise, with broadcasting") {
  check_gradients("add", {{2, 3}, {2, 3}}, [](const Inputs& x) { return x[0] + x[1]; });
  check_gradients("add, broadcast", {{2, 1, 3}, {4, 1}},
                  [](const Inputs& x) { return x[0] + x[1]; });
  check_gradients("mul", {{2, 3}, {2, 3}}, [](const Inputs& x) { return x[0] * x[1]; });
  check_gradients("mul, broadcast", {{3}, {2, 1}}, [](const Inputs& x) { return x[0] * x[1]; });
  check_gradients("mul, scalar", {{}, {2, 2}}, [](const Inputs& x) { return x[0] * x[1]; });
  check_gradients("mul, square", {{3}}, [](const Inputs& x) { return x[0] * x[0]; });
  check_gradients("affine", {{3}}, [](const Inputs& x) { return affine(x[0], -2.5, 3); });
  check_gradients("relu", {{2, 4}}, [](const Inputs& x) { return relu(x[0]); });
}

TEST_CASE("gradients: reductions") {
  check_gradients("sum", {{2, 3}}, [](const Inputs& x) { return sum(x[0]); });
  check_gradients("sum, axes", {{2, 3, 2}}, [](const Inputs& x) { return sum(x[0], {0, -1}); });
  check_gradients("sum, kept", {{2, 3}}, [](const Inputs& x) { return sum(x[0], {1}, true); });
  check_gradients("mean", {{2, 3}}, [](const Inputs& x) { return mean(x[0]); });
  check_gradients("mean, axis", {{2, 3}}, [](const Inputs& x) { return mean(x[0], {0}); });
  check_gradients("softmax", {{2, 3}}, [](const Inputs& x) { return softmax(x[0]); });
  check_gradients("softmax, axis", {{2, 3}}, [](const Inputs& x) { return softmax(x[0], 0); });
  check_gradients("log_softmax", {{2, 3}}, [](const Inputs& x) { return log_softmax(x[0]); });
}

TEST_CASE("gradients: matmul and linear") {
  check_gradients("matmul", {{2, 3}, {3, 4}}, [](const Inputs& x) { return matmul(x[0], x[1]); });
  check_gradients("matmul, bias", {{2, 3}, {3, 2}, {2}},
                  [](const Inputs& x) { return matmul(x[0], x[1], x[2]); });
  check_gradients("linear", {{2, 3}, {4, 3}, {4}},
                  [](const Inputs& x) { return linear(x[0], x[1], x[2]); });
}

TEST_CASE("gradients: conv2d") {
  check_gradients("conv2d", {{2, 2, 4, 4}, {3, 2, 3, 3}, {3}},
                  [](const Inputs& x) { return conv2d(x[0], x[1], x[2]); });
  check_gradients("conv2d, no bias", {{1, 1, 3, 3}, {1, 1, 2, 2}},
                  [](const Inputs& x) { return conv2d(x[0], x[1]); });
  const Conv2dOptions uneven{
      .stride = {2, 1}, .padding = {1, 0, 2, 1}, .dilation = {1, 2}, .groups = 2};
  check_gradients("conv2d, all options", {{1, 4, 5, 4}, {2, 2, 2, 2}, {2}},
                  [&](const Inputs& x) { return conv2d(x[0], x[1], x[2], uneven); });
}

TEST_CASE("gradients: conv1d and conv_transpose2d") {
  check_gradients("conv1d", {{2, 4, 6}, {4, 2, 2}, {4}}, [](const Inputs& x) {
    return conv1d(x[0], x[1], x[2], {.stride = 2, .padding = {1, 0}, .dilation = 2, .groups = 2});
  });
  check_gradients("conv_transpose2d", {{1, 2, 3, 3}, {2, 3, 2, 2}, {3}},
                  [](const Inputs& x) { return conv_transpose2d(x[0], x[1], x[2]); });
  const ConvTranspose2dOptions uneven{.stride = {3, 2},
                                      .padding = {1, 0, 2, 1},
                                      .output_padding = {2, 1},
                                      .dilation = {1, 2},
                                      .groups = 2};
  check_gradients("conv_transpose2d, all options", {{2, 4, 3, 2}, {4, 1, 3, 2}},
                  [&](const Inputs& x) { return conv_transpose2d(x[0], x[1], {}, uneven); });
}

TEST_CASE("gradients: avg_pool2d and interpolate") {
  check_gradients("avg_pool2d", {{1, 2, 4, 4}}, [](const Inputs& x) { return avg_pool2d(x[0]); });
  const AvgPool2dOptions uneven{.kernel = {2, 3},
                                .stride = Size2d(2, 2),
                                .padding = {1, 0, 0, 1},
                                .ceil_mode = true,
                                .count_include_pad = false};
  check_gradients("avg_pool2d, all options", {{1, 1, 4, 5}},
                  [&](const Inputs& x) { return avg_pool2d(x[0], uneven); });
  check_gradients("max_pool2d, ceil mode", {{1, 1, 5, 4}}, [](const Inputs& x) {
    return max_pool2d(x[0], {.kernel = 3, .stride = 2, .ceil_mode = true});
  });
  check_gradients("adaptive_avg_pool2d", {{1, 2, 5, 4}}, [](const Inputs& x) {
    return adaptive_avg_pool2d(x[0], {3, 6});
  });
  check_gradients("interpolate, nearest", {{1, 2, 3, 4}}, [](const Inputs& x) {
    return interpolate(x[0], {5, 3});
  });
  for (const bool corners : {false, true}) {
    check_gradients("interpolate, bilinear", {{1, 2, 3, 4}}, [&](const Inputs& x) {
      return interpolate(x[0], {5, 3}, {.mode = Interpolation::bilinear, .align_corners = corners});
    });
  }
}

TEST_CASE("gradients: max_pool2d") {
  check_gradients("max_pool2d", {{1, 2, 4, 4}}, [](const Inputs& x) { return max_pool2d(x[0]); });
  const MaxPool2dOptions overlapping{
      .kernel = {2, 3}, .stride = 1, .padding = {1, 0, 0, 1}, .dilation = {2, 1}};
  check_gradients("max_pool2d, overlapping", {{1, 1, 4, 4}},
                  [&](const Inputs& x) { return max_pool2d(x[0], overlapping); });
}

TEST_CASE("gradients: normalisation") {
  check_gradients("scale_shift", {{2, 3}, {2, 3}, {2, 3}},
                  [](const Inputs& x) { return scale_shift(x[0], x[1], x[2]); });
  check_gradients("scale_shift, repeated", {{2, 3, 2}, {3, 1}, {1}},
                  [](const Inputs& x) { return scale_shift(x[0], x[1], x[2]); });
  check_gradients("layer_norm", {{2, 5}, {5}, {5}},
                  [](const Inputs& x) { return layer_norm(x[0], {5}, x[1], x[2]); });
  check_gradients("layer_norm, two axes", {{2, 2, 3}}, [](const Inputs& x) {
    return layer_norm(x[0], {2, 3});
  });
  check_gradients("layer_norm, no bias", {{2, 3}, {3}},
                  [](const Inputs& x) { return layer_norm(x[0], {3}, x[1], {}, 0.5f); });
  check_gradients("group_norm", {{2, 4, 3}, {4}, {4}},
                  [](const Inputs& x) { return group_norm(x[0], 2, x[1], x[2]); });
  check_gradients("batch_norm, training", {{3, 2, 2, 2}, {2}, {2}}, [](const Inputs& x) {
    return batch_norm(x[0], {}, {}, x[1], x[2], {.training = true});
  });
  const Tensor mean = made({0.5, -1}, {2}), variance = made({2, 0.5}, {2});
  check_gradients("batch_norm, eval", {{3, 2}, {2}, {2}},
                  [&](const Inputs& x) { return batch_norm(x[0], mean, variance, x[1], x[2]); });
  check_gradients("batch_norm, eval, no weight", {{3, 2}, {2}},
                  [&](const Inputs& x) { return batch_norm(x[0], mean, variance, {}, x[1]); });
}

TEST_CASE("gradients: dropout, with the mask of forward") {
  check_gradients("dropout", {{4, 5}}, [](const Inputs& x) {
    begin_step(1);
    return dropout(x[0], 0.4f);
  });
  check_gradients("dropout2d", {{2, 4, 1, 2}}, [](const Inputs& x) {
    begin_step(1);
    return dropout2d(x[0], 0.4f);
  });
}

TEST_CASE("gradients: losses") {
  const Tensor labels = tensor(std::vector<std::int64_t>{2, 0}, {2}, on_reference());
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    check_gradients("cross_entropy", {{2, 3}},
                    [&](const Inputs& x) { return cross_entropy(x[0], labels, reduction); });
    check_gradients("mse_loss", {{2, 3}, {2, 3}},
                    [&](const Inputs& x) { return mse_loss(x[0], x[1], reduction); });
  }
}

TEST_CASE("gradients: views and copies") {
  check_gradients("reshape", {{2, 6}}, [](const Inputs& x) { return x[0].reshape({3, 4}); });
  check_gradients("reshape, copied", {{2, 3}},
                  [](const Inputs& x) { return x[0].transpose(0, 1).reshape({6}); });
  check_gradients("flatten", {{2, 3, 2}}, [](const Inputs& x) { return x[0].flatten(1); });
  check_gradients("permute", {{2, 3, 2}}, [](const Inputs& x) { return x[0].permute({2, 0, 1}); });
  check_gradients("transpose", {{2, 3}}, [](const Inputs& x) { return x[0].transpose(0, 1); });
  check_gradients("slice", {{5, 2}}, [](const Inputs& x) { return x[0].slice(0, 1, 5, 2); });
  check_gradients("expand", {{1, 3}}, [](const Inputs& x) { return x[0].expand({2, 2, 3}); });
  check_gradients("clone", {{3}}, [](const Inputs& x) { return x[0].clone(); });
  check_gradients("copy_to", {{3}}, [](const Inputs& x) {
    return x[0].copy_to(Device::host()).to(reference()) * x[0];
  });
}

TEST_CASE("gradients: cast goes back to the type it came from") {
  const Tensor x = counting({3}).set_requires_grad();
  const Tensor y = cast(x, DType::f64);
  CHECK(y.dtype() == DType::f64);
  sum(y * y).backward();
  CHECK(x.grad().dtype() == DType::f32);
  CHECK(values_of(x.grad()) == std::vector<float>{0, 2, 4});
  CHECK(!cast(x, DType::i32).requires_grad());
}

TEST_CASE("gradients: functions of one element") {
  // log, sqrt and rsqrt want positive numbers; nothing here lies at a kink.
  const auto positive = [](const Tensor& x) { return square(x) + 0.5; };
  check_gradients("neg", {{2, 3}}, [](const Inputs& x) { return -x[0]; });
  check_gradients("abs", {{2, 3}}, [](const Inputs& x) { return abs(x[0]); });
  check_gradients("exp", {{2, 3}}, [](const Inputs& x) { return exp(x[0]); });
  check_gradients("log", {{2, 3}}, [&](const Inputs& x) { return log(positive(x[0])); });
  check_gradients("sqrt", {{2, 3}}, [&](const Inputs& x) { return sqrt(positive(x[0])); });
  check_gradients("rsqrt", {{2, 3}}, [&](const Inputs& x) { return rsqrt(positive(x[0])); });
  check_gradients("square", {{2, 3}}, [](const Inputs& x) { return square(x[0]); });
  check_gradients("reciprocal", {{2, 3}}, [](const Inputs& x) { return reciprocal(x[0]); });
  check_gradients("clamp", {{2, 8}},
                  [](const Inputs& x) { return clamp(x[0], {.min = -0.55f, .max = 0.45f}); });
  check_gradients("clamp, one bound", {{2, 8}},
                  [](const Inputs& x) { return clamp(x[0], {.max = 0.45f}); });
}

TEST_CASE("gradients: activations") {
  check_gradients("leaky_relu", {{2, 4}}, [](const Inputs& x) { return leaky_relu(x[0], 0.3f); });
  check_gradients("elu", {{2, 4}}, [](const Inputs& x) { return elu(x[0], 1.5f); });
  check_gradients("sigmoid", {{2, 4}}, [](const Inputs& x) { return sigmoid(x[0]); });
  check_gradients("tanh", {{2, 4}}, [](const Inputs& x) { return tanh(x[0]); });
  check_gradients("gelu", {{2, 4}}, [](const Inputs& x) { return gelu(x[0]); });
  check_gradients("gelu, by tanh", {{2, 4}},
                  [](const Inputs& x) { return gelu(x[0], Approximate::tanh); });
  check_gradients("silu", {{2, 4}}, [](const Inputs& x) { return silu(x[0]); });
  check_gradients("softplus", {{2, 4}}, [](const Inputs& x) { return softplus(x[0]); });
  check_gradients("softplus, all options", {{2, 8}},
                  [](const Inputs& x) { return softplus(x[0], 3, 1.7f); });
}

TEST_CASE("gradients: at kinks, and where there is none") {
  Tensor x = tensor({-1, 0, 1}, on_reference()).set_requires_grad();
  const auto gradient_of = [&](const Tensor& y) {
    x.set_grad({});
    sum(y).backward();
    return values_of(x.grad());
  };
  using Values = std::vector<float>;
  CHECK(gradient_of(abs(x)) == Values{-1, 0, 1});
  CHECK(gradient_of(sign(x)) == Values{0, 0, 0});
  CHECK(gradient_of(clamp(x, {.min = -1, .max = 0})) == Values{1, 1, 0});
  CHECK(gradient_of(leaky_relu(x, 0.5f)) == Values{0.5f, 0.5f, 1});
}
