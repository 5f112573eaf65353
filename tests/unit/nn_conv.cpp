// Conv1d, Conv2d, ConvTranspose2d and Linear: their options, their first weights, their refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "backplane/autograd.hpp"
#include "backplane/nn/conv.hpp"
#include "backplane/nn/linear.hpp"
#include "backplane/random.hpp"

using namespace backplane;

namespace {

std::vector<float> values(const Tensor& tensor) {
  return tensor.to_vector<float>();
}

// Within the bound, filling it, and not all on one side: what a uniform draw looks like.
void check_uniform(const Tensor& tensor, double bound) {
  const std::vector<float> all = values(tensor);
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  CHECK(*low >= -bound);
  CHECK(*high <= bound);
  CHECK(*low < -0.9 * bound);
  CHECK(*high > 0.9 * bound);
}

}  // namespace

TEST_CASE("conv2d layer: shapes of the parameters") {
  const Conv2d plain(3, 8, {.kernel = {5, 2}});
  CHECK(plain.weight().shape() == Shape{8, 3, 5, 2});
  CHECK(plain.bias().shape() == Shape{8});
  CHECK(plain.weight().device() == default_device());
  CHECK(plain.named_parameters().size() == 2);

  const Conv2d grouped(6, 4, {.kernel = 3, .groups = 2, .bias = false});
  CHECK(grouped.weight().shape() == Shape{4, 3, 3, 3});
  CHECK_FALSE(grouped.bias().defined());
  CHECK(grouped.named_parameters().size() == 1);
}

TEST_CASE("conv2d layer: every option reaches conv2d()") {
  manual_seed(3);
  const Tensor x = uniform({2, 4, 9, 8}, -1, 1);
  const auto agrees = [&](Conv2d layer, const Conv2dOptions& options) {
    const Tensor expected = conv2d(x, layer.weight(), layer.bias(), options);
    const Tensor y = layer(x);
    CHECK(y.shape() == expected.shape());
    CHECK(values(y) == values(expected));
  };
  agrees(Conv2d(4, 6, {.kernel = 3}), {});
  agrees(Conv2d(4, 6, {.kernel = 3, .stride = {2, 1}}), {.stride = {2, 1}});
  agrees(Conv2d(4, 6, {.kernel = 3, .padding = {1, 2}}), {.padding = {1, 2}});
  agrees(Conv2d(4, 6, {.kernel = 3, .padding = {0, 1, 2, 3}}), {.padding = {0, 1, 2, 3}});
  agrees(Conv2d(4, 6, {.kernel = 3, .dilation = {1, 2}}), {.dilation = {1, 2}});
  agrees(Conv2d(4, 6, {.kernel = 3, .groups = 2}), {.groups = 2});
  agrees(Conv2d(4, 6, {.kernel = 3, .bias = false}), {});
}

TEST_CASE("conv2d and linear layers: first weights are uniform in +-1/sqrt(fan_in)") {
  manual_seed(1);
  const Conv2d conv(32, 64, {.kernel = 3});
  check_uniform(conv.weight(), 1 / std::sqrt(32 * 9.0));
  check_uniform(conv.bias(), 1 / std::sqrt(32 * 9.0));
  const Conv2d grouped(32, 64, {.kernel = 3, .groups = 4});
  check_uniform(grouped.weight(), 1 / std::sqrt(8 * 9.0));
  const Linear linear(100, 50);
  check_uniform(linear.weight(), 0.1);
  check_uniform(linear.bias(), 0.1);
}

TEST_CASE("conv2d and linear layers: the seed decides the weights, on every device") {
  std::vector<std::vector<float>> drawn;
  for (const Device device : devices()) {
    const DeviceGuard guard(device);
    manual_seed(7);
    const Linear linear(5, 4);
    CHECK(linear.weight().device() == device);
    drawn.push_back(values(linear.weight()));
    CHECK(drawn.back() == drawn.front());
  }
  manual_seed(8);
  CHECK(values(Linear(5, 4).weight()) != drawn.front());
}

TEST_CASE("linear layer: x weight^T + bias") {
  Linear linear(2, 3);
  CHECK(linear.weight().shape() == Shape{3, 2});
  no_grad([&] {
    Tensor weight = linear.weight(), bias = linear.bias();
    weight.copy_from(tensor<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}));
    bias.copy_from(tensor({10, 20, 30}));
  });
  const Tensor x = tensor<float>(std::vector<float>{1, 1, 0, 2}, {2, 2});
  CHECK(values(linear(x)) == std::vector<float>{13, 27, 41, 14, 28, 42});

  const Linear without(2, 3, {.bias = false});
  CHECK_FALSE(without.bias().defined());
  CHECK(without.parameter_count() == 6);
}

TEST_CASE("conv2d and linear layers: refusals") {
  CHECK_THROWS_WITH_AS(Conv2d(0, 8, {.kernel = 3}),
                       "Conv2d: channel counts must be positive, got in 0 and out 8", Error);
  CHECK_THROWS_WITH_AS(Conv2d(1, -8, {.kernel = 3}),
                       "Conv2d: channel counts must be positive, got in 1 and out -8", Error);
  CHECK_THROWS_WITH_AS(Conv2d(1, 8, {.kernel = {3, 0}}), "Conv2d: kernel must be positive, got 3x0",
                       Error);
  CHECK_THROWS_WITH_AS(Conv2d(1, 8, {.kernel = 3, .stride = {0, 1}}),
                       "Conv2d: stride must be positive, got 0x1", Error);
  CHECK_THROWS_WITH_AS(Conv2d(1, 8, {.kernel = 3, .dilation = -1}),
                       "Conv2d: dilation must be positive, got -1x-1", Error);
  CHECK_THROWS_WITH_AS(Conv2d(1, 8, {.kernel = 3, .padding = {1, -1}}),
                       "Conv2d: padding must not be negative, got top 1, left -1, bottom 1, right"
                       " -1; use slice() to cut an image",
                       Error);
  for (const std::int32_t groups : {0, -1, 3}) {
    CHECK_THROWS_WITH_AS(Conv2d(4, 8, {.kernel = 3, .groups = groups}),
                         ("Conv2d: groups must divide both channel counts, got groups " +
                          std::to_string(groups) + ", in 4, out 8")
                             .c_str(),
                         Error);
  }
  CHECK_THROWS_WITH_AS(Linear(10, 0),
                       "Linear: feature counts must be positive, got in 10 and out 0", Error);
}

TEST_CASE("conv1d layer: parameters, and every option reaches conv1d()") {
  manual_seed(3);
  const Tensor x = uniform({2, 4, 11}, -1, 1);
  const auto agrees = [&](Conv1d layer, const Conv1dOptions& options) {
    const Tensor expected = conv1d(x, layer.weight(), layer.bias(), options);
    const Tensor y = layer(x);
    CHECK(y.shape() == expected.shape());
    CHECK(values(y) == values(expected));
  };
  agrees(Conv1d(4, 6, {.kernel = 3}), {});
  agrees(Conv1d(4, 6, {.kernel = 3, .stride = 2}), {.stride = 2});
  agrees(Conv1d(4, 6, {.kernel = 3, .padding = {2, 1}}), {.padding = {2, 1}});
  agrees(Conv1d(4, 6, {.kernel = 3, .dilation = 2}), {.dilation = 2});
  agrees(Conv1d(4, 6, {.kernel = 3, .groups = 2}), {.groups = 2});
  agrees(Conv1d(4, 6, {.kernel = 3, .bias = false}), {});
  const Conv1d layer(16, 64, {.kernel = 4, .groups = 2});
  CHECK(layer.weight().shape() == Shape{64, 8, 4});
  check_uniform(layer.weight(), 1 / std::sqrt(8.0 * 4));
  CHECK(layer.named_parameters()[1].name == "bias");
}

TEST_CASE("conv_transpose2d layer: parameters, and every option reaches conv_transpose2d()") {
  manual_seed(3);
  const Tensor x = uniform({2, 4, 5, 6}, -1, 1);
  const auto agrees = [&](ConvTranspose2d layer, const ConvTranspose2dOptions& options) {
    const Tensor expected = conv_transpose2d(x, layer.weight(), layer.bias(), options);
    const Tensor y = layer(x);
    CHECK(y.shape() == expected.shape());
    CHECK(values(y) == values(expected));
  };
  agrees(ConvTranspose2d(4, 6, {.kernel = 3}), {});
  agrees(ConvTranspose2d(4, 6, {.kernel = 3, .stride = {2, 1}}), {.stride = {2, 1}});
  agrees(ConvTranspose2d(4, 6, {.kernel = 3, .padding = {1, 2}}), {.padding = {1, 2}});
  agrees(ConvTranspose2d(4, 6, {.kernel = 3, .stride = 2, .output_padding = {1, 0}}),
         {.stride = 2, .output_padding = {1, 0}});
  agrees(ConvTranspose2d(4, 6, {.kernel = 3, .dilation = {1, 2}}), {.dilation = {1, 2}});
  agrees(ConvTranspose2d(4, 6, {.kernel = 3, .groups = 2}), {.groups = 2});
  agrees(ConvTranspose2d(4, 6, {.kernel = 3, .bias = false}), {});
  const ConvTranspose2d layer(32, 16, {.kernel = {2, 3}, .groups = 2});
  CHECK(layer.weight().shape() == Shape{32, 8, 2, 3});
  check_uniform(layer.weight(), 1 / std::sqrt(8.0 * 6));
}

TEST_CASE("conv_transpose2d: each element stamps the kernel, written by hand") {
  for (const Device device : devices()) {
    INFO(device.name());
    const Tensor x = tensor(std::vector<float>{1, 10}, {1, 1, 1, 2}, {.device = device});
    const Tensor weight = tensor(std::vector<float>{1, 2, 3}, {1, 1, 1, 3}, {.device = device});
    const Tensor bias = tensor(std::vector<float>{0.5f}, {1}, {.device = device});
    const auto y = conv_transpose2d(x, weight, bias, {.stride = {1, 2}, .output_padding = {0, 1}});
    CHECK(values(y) == std::vector<float>{1.5f, 2.5f, 13.5f, 20.5f, 30.5f, 0.5f});
  }
}

TEST_CASE("conv1d and conv_transpose2d layers: refusals") {
  CHECK_THROWS_WITH_AS(Conv1d(0, 1, {.kernel = 3}),
                       "Conv1d: channel counts must be positive, got in 0 and out 1", Error);
  CHECK_THROWS_WITH_AS(Conv1d(1, 1, {.kernel = 0}), "Conv1d: kernel must be positive, got 1x0",
                       Error);
  CHECK_THROWS_WITH_AS(ConvTranspose2d(4, 6, {.kernel = 3, .groups = 3}),
                       "ConvTranspose2d: groups must divide both channel counts, got groups 3, in"
                       " 4, out 6",
                       Error);
  CHECK_THROWS_WITH_AS(ConvTranspose2d(4, 6, {.kernel = 3, .output_padding = 1}),
                       "ConvTranspose2d: output_padding must be from 0 to below the stride, got"
                       " 1x1 and stride 1x1",
                       Error);
}
