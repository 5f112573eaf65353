// Layers without parameters: activations, poolings, Upsample, Flatten, Dropout, Dropout2d.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "backplane/nn/activation.hpp"
#include "backplane/nn/dropout.hpp"
#include "backplane/nn/pool.hpp"
#include "backplane/random.hpp"

using namespace backplane;

namespace {

std::vector<float> values(const Tensor& tensor) {
  return tensor.to_vector<float>();
}

Tensor counting(const Shape& shape) {
  std::vector<float> numbers(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7 % 31);
  return tensor(numbers, shape);
}

std::size_t zeros_in(const std::vector<float>& all) {
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), 0.0f));
}

}  // namespace

TEST_CASE("relu layer: negative becomes zero, NaN stays") {
  const auto y = values(ReLU()(tensor({-1, 0, 2, std::numeric_limits<float>::quiet_NaN()})));
  CHECK(y[0] == 0);
  CHECK(y[1] == 0);
  CHECK(y[2] == 2);
  CHECK(std::isnan(y[3]));
}

TEST_CASE("activation layers: each applies its function, and every option reaches it") {
  const Tensor x = tensor({-3, -0.5f, 0, 0.5f, 3});
  CHECK(values(LeakyReLU()(x)) == values(leaky_relu(x, 0.01f)));
  CHECK(values(LeakyReLU(0.5f)(x)) == values(leaky_relu(x, 0.5f)));
  CHECK(values(ELU()(x)) == values(elu(x, 1)));
  CHECK(values(ELU(2)(x)) == values(elu(x, 2)));
  CHECK(values(Sigmoid()(x)) == values(sigmoid(x)));
  CHECK(values(Tanh()(x)) == values(tanh(x)));
  CHECK(values(GELU()(x)) == values(gelu(x, Approximate::none)));
  CHECK(values(GELU(Approximate::tanh)(x)) == values(gelu(x, Approximate::tanh)));
  CHECK(values(GELU()(x)) != values(GELU(Approximate::tanh)(x)));
  CHECK(values(SiLU()(x)) == values(silu(x)));
  CHECK(values(Softplus()(x)) == values(softplus(x, 1, 20)));
  CHECK(values(Softplus(2, 1)(x)) == values(softplus(x, 2, 1)));
  CHECK(values(Softplus(2, 1)(x)) != values(Softplus(2)(x)));
}

TEST_CASE("softmax layers: along the last axis or another") {
  const Tensor x = counting({3, 4});
  CHECK(values(Softmax()(x)) == values(softmax(x, 1)));
  CHECK(values(Softmax(0)(x)) == values(softmax(x, 0)));
  CHECK(values(LogSoftmax()(x)) == values(log_softmax(x, 1)));
  CHECK(values(LogSoftmax(0)(x)) == values(log_softmax(x, 0)));
}

TEST_CASE("max_pool2d layer: every option reaches max_pool2d()") {
  const Tensor x = counting({2, 3, 9, 8});
  const MaxPool2dOptions cases[] = {{.kernel = 2},
                                    {.kernel = {3, 2}},
                                    {.kernel = 3, .stride = 1},
                                    {.kernel = 3, .padding = 1},
                                    {.kernel = 2, .dilation = {2, 3}}};
  for (const MaxPool2dOptions& options : cases) {
    const Tensor expected = max_pool2d(x, options);
    const Tensor y = MaxPool2d(options)(x);
    CHECK(y.shape() == expected.shape());
    CHECK(values(y) == values(expected));
  }
  CHECK(MaxPool2d({.kernel = 2})(x).shape() == Shape{2, 3, 4, 4});
}

TEST_CASE("max_pool2d layer: refusals") {
  CHECK_THROWS_WITH_AS(MaxPool2d({.kernel = 0}), "MaxPool2d: kernel must be positive, got 0x0",
                       Error);
  CHECK_THROWS_WITH_AS(MaxPool2d({.kernel = 2, .stride = Size2d(1, 0)}),
                       "MaxPool2d: stride must be positive, got 1x0", Error);
  CHECK_THROWS_WITH_AS(MaxPool2d({.kernel = 2, .dilation = 0}),
                       "MaxPool2d: dilation must be positive, got 0x0", Error);
  CHECK_THROWS_WITH_AS(MaxPool2d({.kernel = 2, .padding = -1}),
                       "MaxPool2d: padding must not be negative, got top -1, left -1, bottom -1,"
                       " right -1; use slice() to cut an image",
                       Error);
}

TEST_CASE("avg_pool2d layer: every option reaches avg_pool2d()") {
  const Tensor x = counting({2, 3, 9, 8});
  const AvgPool2dOptions cases[] = {{.kernel = 2},
                                    {.kernel = {3, 2}},
                                    {.kernel = 3, .stride = 1},
                                    {.kernel = 3, .padding = 1},
                                    {.kernel = 3, .ceil_mode = true},
                                    {.kernel = 3, .padding = 1, .count_include_pad = false}};
  for (const AvgPool2dOptions& options : cases) {
    const Tensor expected = avg_pool2d(x, options), y = AvgPool2d(options)(x);
    CHECK(y.shape() == expected.shape());
    CHECK(values(y) == values(expected));
  }
  CHECK_THROWS_WITH_AS(AvgPool2d({.kernel = 0}), "AvgPool2d: kernel must be positive, got 0x0",
                       Error);
}

TEST_CASE("adaptive_avg_pool2d layer: a size of 1 is the mean of the image") {
  const Tensor x = counting({2, 3, 6, 4});
  CHECK(values(AdaptiveAvgPool2d({3, 2})(x)) == values(avg_pool2d(x, {.kernel = 2})));
  const auto global = values(AdaptiveAvgPool2d(1)(x)), means = values(mean(x, {2, 3}));
  REQUIRE(global.size() == means.size());
  for (std::size_t i = 0; i < means.size(); ++i) CHECK(global[i] == doctest::Approx(means[i]));
  CHECK_THROWS_WITH_AS(AdaptiveAvgPool2d(0), "AdaptiveAvgPool2d: size must be positive, got 0x0",
                       Error);
}

TEST_CASE("upsample layer: by a factor, in both modes") {
  const Tensor x = counting({1, 2, 2, 3});
  const Tensor y = Upsample({.scale = {2, 3}})(x);
  CHECK(y.shape() == Shape{1, 2, 4, 9});
  CHECK(values(y) == values(interpolate(x, {4, 9})));
  const InterpolateOptions corners{.mode = Interpolation::bilinear, .align_corners = true};
  CHECK(values(Upsample({.mode = Interpolation::bilinear, .align_corners = true})(x)) ==
        values(interpolate(x, {4, 6}, corners)));
  CHECK_THROWS_WITH_AS(Upsample({.scale = 0}), "Upsample: scale must be positive, got 0x0", Error);
  CHECK_THROWS_WITH_AS(Upsample({.align_corners = true}),
                       "Upsample: align_corners goes with bilinear, got nearest; leave it out",
                       Error);
  CHECK_THROWS_WITH_AS(Upsample({})(ones({2, 3})), "Upsample: expects 4 axes, got [2,3]", Error);
}

TEST_CASE("flatten layer: keeps the samples unless told otherwise") {
  const Tensor x = counting({2, 3, 4, 5});
  CHECK(Flatten()(x).shape() == Shape{2, 60});
  CHECK(Flatten(0)(x).shape() == Shape{120});
  CHECK(Flatten(1, 2)(x).shape() == Shape{2, 12, 5});
  CHECK(values(Flatten()(x)) == values(x));
}

TEST_CASE("dropout layer: drops elements while training, nothing in eval") {
  const Tensor x = ones({50, 40});
  Dropout layer(0.25f);
  manual_seed(1);
  const auto y = values(layer(x));
  const std::size_t dropped = zeros_in(y);
  CHECK(dropped > 400);
  CHECK(dropped < 600);
  for (const float value : y) CHECK((value == 0 || value == doctest::Approx(1 / 0.75)));
  layer.eval();
  CHECK(values(layer(x)) == values(x));
}

TEST_CASE("dropout2d layer: drops whole channels of a sample") {
  const Tensor x = ones({20, 30, 2, 2});
  Dropout2d layer(0.5f);
  manual_seed(1);
  const auto y = values(layer(x));
  for (std::size_t channel = 0; channel < y.size(); channel += 4) {
    CHECK(y[channel] == y[channel + 1]);
    CHECK(y[channel] == y[channel + 3]);
  }
  CHECK(zeros_in(y) > 4 * 240);
  CHECK(zeros_in(y) < 4 * 360);
  layer.eval();
  CHECK(values(layer(x)) == values(x));
}

TEST_CASE("dropout layers: p of 0 keeps all, p outside [0, 1) is refused") {
  const Tensor x = counting({4, 5});
  CHECK(values(Dropout(0)(x)) == values(x));
  CHECK_THROWS_WITH_AS(Dropout(1),
                       "Dropout: p must be in [0, 1), got 1; it is the share that is"
                       " dropped",
                       Error);
  CHECK_THROWS_WITH_AS(Dropout(-0.5f),
                       "Dropout: p must be in [0, 1), got -0.5; it is the share that"
                       " is dropped",
                       Error);
  CHECK_THROWS_WITH_AS(Dropout2d(std::nanf("")),
                       "Dropout2d: p must be in [0, 1), got nan; it is the"
                       " share that is dropped",
                       Error);
}
