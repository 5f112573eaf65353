// Sequential: owns its layers and names them by position.
#include "backplane/nn/container.hpp"

#include <doctest/doctest.h>

#include "backplane/nn/nn.hpp"

using namespace backplane;

namespace {

std::vector<float> values(const Tensor& tensor) {
  return tensor.to_vector<float>();
}

Sequential small_net() {
  return Sequential{Conv2d(1, 2, {.kernel = 3}), ReLU(), Flatten(), Dropout(0.5f), Linear(8, 3)};
}

}  // namespace

TEST_CASE("sequential: one layer after another") {
  Sequential net = small_net();
  CHECK(net.size() == 5);
  net.eval();
  const Tensor x = ones({2, 1, 4, 4});
  Tensor expected = x;
  for (std::size_t i = 0; i < net.size(); ++i) expected = net[i](expected);
  CHECK(net(x).shape() == Shape{2, 3});
  CHECK(values(net(x)) == values(expected));
  CHECK(values(Sequential()(x)) == values(x));
}

TEST_CASE("sequential: children are named by their position, also in one another") {
  Sequential net{Linear(4, 4, {.bias = false}), small_net()};
  const auto named = net.named_parameters();
  REQUIRE(named.size() == 5);
  CHECK(named[0].name == "0.weight");
  CHECK(named[1].name == "1.0.weight");
  CHECK(named[4].name == "1.4.bias");
}

TEST_CASE("sequential: add appends a layer of either form") {
  Sequential net;
  Linear& first = net.add(Linear(2, 3));
  Layer& second = net.add(std::make_unique<ReLU>());
  CHECK(&net[0] == &first);
  CHECK(&net[1] == &second);
  CHECK(net.parameter_count() == 9);
}

TEST_CASE("sequential: train and eval reach the layers") {
  Sequential net = small_net();
  net.eval();
  CHECK_FALSE(net[3].training());
  net.train();
  CHECK(net[3].training());
}

TEST_CASE("sequential: copies share parameters but no layers, clones share nothing") {
  Sequential net = small_net();
  Sequential copy(net);
  Sequential assigned;
  assigned = net;
  const auto clone = net.clone();
  CHECK(copy.size() == 5);
  CHECK(&copy[0] != &net[0]);
  CHECK(copy.parameters()[0].impl() == net.parameters()[0].impl());
  CHECK(assigned.parameters()[0].impl() == net.parameters()[0].impl());
  CHECK(clone->parameters()[0].impl() != net.parameters()[0].impl());
  CHECK(values(clone->parameters()[0]) == values(net.parameters()[0]));
  copy.eval();
  CHECK(net[3].training());

  const Sequential moved = std::move(copy);
  CHECK(moved.size() == 5);
}

TEST_CASE("sequential: refusals") {
  Sequential net{ReLU()};
  CHECK_THROWS_WITH_AS((void)&net[1], "Sequential: index must be below 1, got 1", Error);
  CHECK_THROWS_WITH_AS(net.add(std::unique_ptr<Layer>()),
                       "Sequential: layer 1 is null; add() wants a layer to own", Error);
  try {
    (void)&net[1];
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::out_of_range);
  }
}

TEST_CASE("EvalGuard: every layer gets its own mode back") {
  Sequential net{Dropout(0.5f), Sequential{Dropout(0.5f), ReLU()}};
  net[1].eval();
  {
    const EvalGuard eval(net);
    CHECK_FALSE(net.training());
    CHECK_FALSE(net[0].training());
  }
  CHECK(net.training());
  CHECK(net[0].training());
  CHECK_FALSE(net[1].training());
  net.eval();
  net[0].train();
  {
    const EvalGuard eval(net);
    CHECK_FALSE(net[0].training());
  }
  CHECK_FALSE(net.training());
  CHECK(net[0].training());
}
