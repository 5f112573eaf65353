// BatchNorm1d, BatchNorm2d, LayerNorm, GroupNorm.
#include "backplane/nn/norm.hpp"

#include <doctest/doctest.h>

#include "backplane/autograd.hpp"
#include "backplane/nn/container.hpp"

using namespace backplane;

namespace {

std::vector<float> values(const Tensor& tensor) {
  return tensor.to_vector<float>();
}

void check_close(const Tensor& tensor, const std::vector<double>& expected) {
  const auto got = values(tensor);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("element ", i);
    CHECK(static_cast<double>(got[i]) == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

// Channels 0 and 1 of two samples: 1, 5 and 10, 40.
Tensor two_by_two(Device device = default_device()) {
  return tensor(std::vector<float>{1, 10, 5, 40}, {2, 2}, {.device = device});
}

}  // namespace

TEST_CASE("batch norm layer: training follows the batches, with the unbiased variance") {
  for (const Device device : devices()) {
    INFO(device.name());
    BatchNorm1d layer(2, {.epsilon = 0, .momentum = 0.25f});
    layer.to(device);
    const Tensor y = layer(two_by_two(device));
    check_close(y, {-1, -1, 1, 1});
    check_close(layer.running_mean(), {0.25 * 3, 0.25 * 25});
    check_close(layer.running_var(), {0.75 + 0.25 * 8, 0.75 + 0.25 * 450});
    (void)layer(two_by_two(device));
    check_close(layer.running_mean(), {0.75 * 0.75 + 0.75, 0.75 * 6.25 + 6.25});
    CHECK_FALSE(layer.running_mean().requires_grad());

    sum(y).backward();
    check_close(layer.weight().grad(), {0, 0});
    check_close(layer.bias().grad(), {2, 2});
  }
}

TEST_CASE("batch norm layer: eval takes the running statistics and leaves them alone") {
  for (const Device device : devices()) {
    INFO(device.name());
    BatchNorm1d layer(2, {.epsilon = 1});
    layer.to(device);
    layer.eval();
    no_grad([&] {
      Tensor mean = layer.running_mean(), variance = layer.running_var(), weight = layer.weight();
      mean.fill(2);
      variance.fill(3);
      weight.fill(4);
    });
    check_close(layer(two_by_two(device)), {-2, 16, 6, 76});
    check_close(layer.running_mean(), {2, 2});
    check_close(layer.running_var(), {3, 3});
    CHECK(layer(two_by_two(device).slice(0, 0, 1)).shape() == Shape{1, 2});  // one value a channel
  }
}

TEST_CASE("batch norm layer: images and sequences are the same channels, laid out otherwise") {
  const Tensor images = normal({3, 4, 2, 5}, 1, 2);
  BatchNorm2d two(4);
  BatchNorm1d one(4);
  const auto expected = values(one(images.reshape({3, 4, 10})));
  CHECK(values(two(images)) == expected);
  CHECK(values(two.running_var()) == values(one.running_var()));
  const Tensor last = images.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
  check_close(BatchNorm2d(4)(last), std::vector<double>(expected.begin(), expected.end()));
}

TEST_CASE("batch norm layer: state by name, and what options leave out") {
  const Sequential net{BatchNorm2d(3)};
  const auto state = net.named_state();
  REQUIRE(state.size() == 4);
  CHECK(state[0].name == "0.weight");
  CHECK(state[1].name == "0.bias");
  CHECK(state[2].name == "0.running_mean");
  CHECK(state[3].name == "0.running_var");
  CHECK(net.parameters().size() == 2);
  CHECK(BatchNorm2d(3, {.affine = false}).parameters().empty());

  BatchNorm1d own(2, {.epsilon = 0, .track_running_stats = false});
  CHECK(own.named_state().size() == 2);
  own.eval();
  check_close(own(two_by_two()), {-1, -1, 1, 1});
}

TEST_CASE("batch norm layer: a clone's statistics are its own") {
  BatchNorm1d layer(2);
  const auto clone = layer.clone();
  (void)layer(two_by_two());
  CHECK(values(clone->running_mean()) == std::vector<float>{0, 0});
}

TEST_CASE("layer norm layer: the last axes, then weight and bias") {
  LayerNorm layer({2}, {.epsilon = 0});
  check_close(layer(two_by_two()), {-1, 1, -1, 1});
  no_grad([&] {
    Tensor weight = layer.weight(), bias = layer.bias();
    weight.fill(3);
    bias.fill(1);
  });
  check_close(layer(two_by_two()), {-2, 4, -2, 4});
  CHECK(LayerNorm({4, 2}).weight().shape() == Shape{4, 2});
  CHECK(LayerNorm({2}, {.bias = false}).parameters().size() == 1);
  CHECK(LayerNorm({2}, {.affine = false}).parameters().empty());
}

TEST_CASE("group norm layer: one group is a layer norm, as many groups as channels one each") {
  const Tensor x = normal({2, 4, 3}, 1, 2);
  const auto all = values(layer_norm(x, {4, 3}));
  check_close(GroupNorm(1, 4)(x), std::vector<double>(all.begin(), all.end()));
  const auto each = values(layer_norm(x, {3}));
  check_close(GroupNorm(4, 4)(x), std::vector<double>(each.begin(), each.end()));
  CHECK(GroupNorm(2, 4).named_parameters()[0].name == "weight");
  CHECK(GroupNorm(2, 4, {.affine = false}).parameters().empty());
}

TEST_CASE("normalisation layers: refusals") {
  CHECK_THROWS_WITH_AS(BatchNorm2d(0),
                       "BatchNorm2d: the number of channels must be positive, got 0", Error);
  CHECK_THROWS_WITH_AS(BatchNorm1d(2, {.epsilon = -1}),
                       "BatchNorm1d: epsilon must be a finite number from 0 on, got -1", Error);
  CHECK_THROWS_WITH_AS(BatchNorm1d(2, {.momentum = 1.5f}),
                       "BatchNorm1d: momentum must be in [0, 1], got 1.5; it is the share of a new"
                       " batch",
                       Error);
  CHECK_THROWS_WITH_AS(BatchNorm1d(2)(ones({1, 2, 3, 4})),
                       "BatchNorm1d: expects 2 or 3 axes, got [1,2,3,4]; BatchNorm2d takes images",
                       Error);
  CHECK_THROWS_WITH_AS(BatchNorm2d(2)(ones({2, 2})),
                       "BatchNorm2d: expects 4 axes, got [2,2]; BatchNorm1d takes 2 or 3", Error);
  CHECK_THROWS_WITH_AS(LayerNorm({3, 0}),
                       "LayerNorm: sizes must be positive, one at least, got [3,0]", Error);
  CHECK_THROWS_WITH_AS(GroupNorm(3, 4),
                       "GroupNorm: groups must divide the channels, got groups 3, channels 4",
                       Error);
  CHECK_THROWS_WITH_AS(GroupNorm(2, 4)(ones({2, 6})),
                       "GroupNorm: expects 4 channels on axis 1, got [2,6]", Error);
}
