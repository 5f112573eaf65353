// Every differentiable function's gradient against central differences in double.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <span>

#include "backplane/autograd.hpp"
#include "backplane/gradcheck.hpp"
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

void check_gradients(const char* name, const std::vector<Shape>& shapes, const Function& function) {
  INFO(name);
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) {
    inputs.push_back(made(some_values(shape.count(), static_cast<double>(inputs.size())), shape));
  }
  const auto on_span = [&](std::span<const Tensor> x) {
    return function(std::vector<Tensor>(x.begin(), x.end()));
  };
  const GradcheckResult result =
      gradcheck(on_span, inputs, {.step = 1e-5, .relative = 1e-6, .absolute = 1e-6});
  CHECK(result.failure == "");
  CHECK(result.passed());
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
  check_gradients("sub, broadcast", {{2, 1, 3}, {4, 1}},
                  [](const Inputs& x) { return x[0] - x[1]; });
  check_gradients("div, broadcast", {{3}, {2, 1}}, [](const Inputs& x) { return x[0] / x[1]; });
  check_gradients("pow, broadcast", {{3}, {2, 1}},
                  [](const Inputs& x) { return pow(square(x[0]) + 0.5, x[1]); });
  check_gradients("pow, scalar", {{2, 3}}, [](const Inputs& x) { return pow(x[0], 3); });
  check_gradients("maximum, broadcast", {{2, 3}, {3}},
                  [](const Inputs& x) { return maximum(x[0], x[1]); });
  check_gradients("minimum, broadcast", {{3}, {2, 3}},
                  [](const Inputs& x) { return minimum(x[0], x[1]); });
  check_gradients("scalars on both sides", {{3}},
                  [](const Inputs& x) { return 2.0 / (1 - (3 * x[0] - 0.5) / 4); });
}

TEST_CASE("gradients: where, of a condition that needs none") {
  check_gradients("where, broadcast", {{2, 3}, {3}},
                  [](const Inputs& x) { return where(greater(x[0], 0), x[0] * x[0], x[1]); });
}

TEST_CASE("gradients: reductions") {
  check_gradients("sum", {{2, 3}}, [](const Inputs& x) { return sum(x[0]); });
  check_gradients("sum, axes", {{2, 3, 2}}, [](const Inputs& x) { return sum(x[0], {0, -1}); });
  check_gradients("sum, kept", {{2, 3}}, [](const Inputs& x) { return sum(x[0], {1}, true); });
  check_gradients("mean", {{2, 3}}, [](const Inputs& x) { return mean(x[0]); });
  check_gradients("mean, axis", {{2, 3}}, [](const Inputs& x) { return mean(x[0], {0}); });
  check_gradients("prod", {{2, 3}}, [](const Inputs& x) { return prod(x[0]); });
  check_gradients("prod, axis", {{2, 3}}, [](const Inputs& x) { return prod(x[0], {1}, true); });
  check_gradients("max", {{2, 3}}, [](const Inputs& x) { return max(x[0]); });
  check_gradients("max, axes", {{2, 3, 2}}, [](const Inputs& x) { return max(x[0], {0, 2}); });
  check_gradients("min, axis", {{2, 3}}, [](const Inputs& x) { return min(x[0], {-1}, true); });
  check_gradients("var", {{2, 3}}, [](const Inputs& x) { return var(x[0]); });
  check_gradients("var, axis", {{2, 4}}, [](const Inputs& x) { return var(x[0], {1}, 0, true); });
  check_gradients("stddev", {{2, 4}}, [](const Inputs& x) { return stddev(x[0], {1}); });
  check_gradients("cumsum", {{2, 3, 2}}, [](const Inputs& x) { return cumsum(x[0], 1); });
  check_gradients("cumsum, reverse", {{2, 3}},
                  [](const Inputs& x) { return cumsum(x[0], 0, true); });
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

TEST_CASE("gradients: matmul of batches, broadcast, and of single axes") {
  const auto product = [](const Inputs& x) { return matmul(x[0], x[1]); };
  check_gradients("batch", {{2, 2, 3}, {2, 3, 2}}, product);
  check_gradients("broadcast", {{2, 1, 2, 3}, {3, 3, 2}}, product);
  check_gradients("a matrix on the left", {{2, 3}, {2, 3, 2}}, product);
  check_gradients("a matrix on the right", {{2, 2, 3}, {3, 2}}, product);
  check_gradients("a row", {{3}, {2, 3, 2}}, product);
  check_gradients("a column", {{2, 2, 3}, {3}}, product);
  check_gradients("a row and a column", {{3}, {3}}, product);
  check_gradients("linear, batch", {{2, 2, 3}, {4, 3}, {4}},
                  [](const Inputs& x) { return linear(x[0], x[1], x[2]); });
}

TEST_CASE("gradients: attention") {
  check_gradients("attention", {{2, 3, 4}, {2, 5, 4}, {2, 5, 2}},
                  [](const Inputs& x) { return scaled_dot_product_attention(x[0], x[1], x[2]); });
  check_gradients("attention, masked", {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}, {3, 3}},
                  [](const Inputs& x) {
                    return scaled_dot_product_attention(
                        x[0], x[1], x[2], {.mask = x[3], .causal = true, .scale = 0.7});
                  });
}

TEST_CASE("gradients: shapes") {
  check_gradients("concat", {{2, 3}, {2, 1}, {2, 0}}, [](const Inputs& x) { return concat(x, 1); });
  check_gradients("concat, twice the same", {{2, 3}}, [](const Inputs& x) {
    return concat({x[0], x[0]}, -1);
  });
  check_gradients("stack", {{2, 3}, {2, 3}}, [](const Inputs& x) { return stack(x, 1); });
  check_gradients("split", {{5, 2}}, [](const Inputs& x) {
    const auto parts = split(x[0], {1, 4});
    return concat({parts[1], parts[0]});
  });
  check_gradients("squeeze", {{2, 1, 3}}, [](const Inputs& x) { return squeeze(x[0], 1); });
  check_gradients("unsqueeze", {{2, 3}}, [](const Inputs& x) { return unsqueeze(x[0], -1); });
  check_gradients("pad", {{2, 3}}, [](const Inputs& x) {
    return pad(x[0], {{1, 0}, {2, 1}}, 0.5);
  });
  check_gradients("flip", {{2, 3}}, [](const Inputs& x) { return flip(x[0], {1}); });
}

TEST_CASE("gradients: indices") {
  const auto at = [](std::vector<std::int64_t> values, const Shape& shape) {
    return tensor(values, shape, on_reference());
  };
  check_gradients("gather", {{2, 3}}, [&](const Inputs& x) {
    return gather(x[0], 1, at({2, 0, 0, 2, 1, 1, 1, 1}, {2, 4}));
  });
  check_gradients("scatter_add", {{2, 3}, {2, 4}}, [&](const Inputs& x) {
    return scatter_add(x[0], 1, at({2, 0, 0, 2, 1, 1, 1, 1}, {2, 4}), x[1]);
  });
  check_gradients("embedding", {{4, 3}}, [&](const Inputs& x) {
    return embedding(x[0], at({3, 1, 1, 3, 3, 0}, {2, 3}));
  });
  check_gradients("top_k", {{2, 5}}, [](const Inputs& x) { return top_k(x[0], 3).first; });
  check_gradients("top_k, smallest", {{5, 2}}, [](const Inputs& x) {
    return top_k(x[0], 2, {.axis = 0, .largest = false}).first;
  });
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
    check_gradients("l1_loss", {{2, 3}, {2, 3}},
                    [&](const Inputs& x) { return l1_loss(x[0], x[1], reduction); });
    check_gradients("huber_loss", {{2, 3}, {2, 3}},
                    [&](const Inputs& x) { return huber_loss(x[0], x[1], 0.4f, reduction); });
    check_gradients("smooth_l1_loss", {{2, 3}, {2, 3}},
                    [&](const Inputs& x) { return smooth_l1_loss(x[0], x[1], 0.4f, reduction); });
  }
}

TEST_CASE("gradients: losses of labels, with every option") {
  const TensorOptions labelled = on_reference(DType::i64);
  const Tensor labels = tensor(std::vector<std::int64_t>{2, 0, -1, 1}, {2, 2}, labelled);
  const Tensor weight = made({0.5, 2, 1.25}, {3});
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    check_gradients("nll_loss", {{2, 3, 2}}, [&](const Inputs& x) {
      return nll_loss(x[0], labels, {.reduction = reduction, .ignore_index = -1, .weight = weight});
    });
    check_gradients("cross_entropy, all options", {{2, 3, 2}}, [&](const Inputs& x) {
      return cross_entropy(
          x[0], labels,
          {.reduction = reduction, .ignore_index = -1, .weight = weight, .label_smoothing = 0.25f});
    });
    const Tensor probabilities = softmax(made(some_values(6, 3), {2, 3}));
    check_gradients("cross_entropy, probabilities", {{2, 3}}, [&](const Inputs& x) {
      return cross_entropy(x[0], probabilities,
                           {.reduction = reduction, .weight = weight, .label_smoothing = 0.25f});
    });
  }
}

TEST_CASE("gradients: losses of constant targets") {
  const Tensor share = softmax(made(some_values(6, 2), {2, 3}));
  const Tensor weight = made({0.5, 2, 1.25}, {3}), each = made({3, 0.5}, {2, 1});
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    check_gradients("bce_with_logits", {{2, 3}}, [&](const Inputs& x) {
      return bce_with_logits(x[0], share, {.reduction = reduction});
    });
    check_gradients("bce_with_logits, weighted", {{2, 3}}, [&](const Inputs& x) {
      return bce_with_logits(x[0], share,
                             {.reduction = reduction, .weight = each, .pos_weight = weight});
    });
  }
  for (const KlDivReduction reduction : {KlDivReduction::batch_mean, KlDivReduction::mean,
                                         KlDivReduction::sum, KlDivReduction::none}) {
    check_gradients("kl_div", {{2, 3}},
                    [&](const Inputs& x) { return kl_div(x[0], share, {.reduction = reduction}); });
    check_gradients("kl_div of logarithms", {{2, 3}}, [&](const Inputs& x) {
      return kl_div(x[0], log(share), {.reduction = reduction, .log_target = true});
    });
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

TEST_CASE("gradients: ties, zeros, and what isn't chosen") {
  using Values = std::vector<float>;
  const auto gradients_of = [](const std::vector<Tensor>& inputs, const auto& function) {
    std::vector<Values> result;
    for (Tensor input : inputs) input.set_requires_grad();
    sum(function()).backward();
    for (const Tensor& input : inputs) result.push_back(values_of(input.grad()));
    return result;
  };
  const auto of = [](std::initializer_list<float> values) {
    return tensor(values, on_reference());
  };

  const Tensor a = of({1, 2, 3}), b = of({2, 2, 2});
  CHECK(gradients_of({a, b}, [&] { return maximum(a, b); }) ==
        std::vector<Values>{{0, 0.5f, 1}, {1, 0.5f, 0}});
  const Tensor c = of({1, 2, 3}), d = of({2, 2, 2});
  CHECK(gradients_of({c, d}, [&] { return minimum(c, d); }) ==
        std::vector<Values>{{1, 0.5f, 0}, {0, 0.5f, 1}});
  const Tensor shared = of({5, 1, 5, 5, 5});
  CHECK(gradients_of({shared}, [&] { return max(shared); })[0] ==
        Values{0.25f, 0, 0.25f, 0.25f, 0.25f});

  const Tensor none = of({2, 3, 4}), one = of({2, 0, 4}), two = of({0, 3, 0});
  CHECK(gradients_of({none}, [&] { return prod(none); })[0] == Values{12, 8, 6});
  CHECK(gradients_of({one}, [&] { return prod(one); })[0] == Values{0, 8, 0});
  CHECK(gradients_of({two}, [&] { return prod(two); })[0] == Values{0, 0, 0});

  const Tensor same = of({3, 3, 3});
  CHECK(gradients_of({same}, [&] { return stddev(same); })[0] == Values{0, 0, 0});
  const Tensor zero = of({0, 0, 2}), exponent = of({0, 2, 0});
  CHECK(gradients_of({zero}, [&] { return pow(zero, exponent); })[0] == Values{0, 0, 0});
  const Tensor base = of({0, 1}), power = of({2, 2});
  CHECK(gradients_of({power}, [&] { return pow(base, power); })[0] == Values{0, 0});
  // What isn't chosen gets a gradient of 0, whatever it is.
  const Tensor left = of({NAN, 4}), right = of({3, INFINITY});
  const Tensor chosen = tensor(std::vector<std::uint8_t>{0, 1}, {2}, on_reference());
  CHECK(gradients_of({left, right}, [&] { return where(chosen, left, right); }) ==
        std::vector<Values>{{0, 1}, {1, 0}});
}
