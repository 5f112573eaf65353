// Layer: what every layer can do through its visit().
#include "backplane/nn/layer.hpp"

#include <doctest/doctest.h>

#include "backplane/autograd.hpp"
#include "backplane/functional.hpp"
#include "backplane/nn/nn.hpp"
#include "backplane/optim/sgd.hpp"

using namespace backplane;

namespace {

// As a user writes one: children as members, no registration.
class Residual : public LayerOf<Residual> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override { return x + inner(drop(x)) * 0.5; }
  void visit(Visitor& visitor) override {
    visitor.child("inner", inner);
    visitor.child("drop", drop);
    visitor.parameter("scale", scale);
  }

  Linear inner{3, 3};
  Dropout drop{0.5f};
  Tensor scale = ones({2}, {.requires_grad = true});
};

// Two children that hold one weight.
class Tied : public LayerOf<Tied> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override { return second(first(x)); }
  void visit(Visitor& visitor) override {
    visitor.child("first", first);
    visitor.child("second", second);
  }

  Linear first{3, 3, {.bias = false}};
  Linear second = first;
};

// Has state beside its parameter: how often it was called, on the device.
class Counted : public LayerOf<Counted> {
 public:
  [[nodiscard]] Tensor forward(const Tensor& x) override {
    no_grad([&] { calls.copy_from(calls + 1); });
    return x * scale;
  }
  void visit(Visitor& visitor) override {
    visitor.buffer("calls", calls);
    visitor.parameter("scale", scale);
    visitor.buffer("absent", absent);
  }

  Tensor calls = zeros({1});
  Tensor scale = ones({1}, {.requires_grad = true});
  Tensor absent;
};

std::vector<float> values(const Tensor& tensor) {
  return tensor.to_vector<float>();
}

}  // namespace

TEST_CASE("layer: parameters are named by their path, in the order of visit") {
  const Residual layer;
  const auto named = layer.named_parameters();
  REQUIRE(named.size() == 3);
  CHECK(named[0].name == "inner.weight");
  CHECK(named[1].name == "inner.bias");
  CHECK(named[2].name == "scale");
  CHECK(named[0].tensor.impl() == layer.inner.weight().impl());
  CHECK(layer.parameters().size() == 3);
  CHECK(layer.parameter_count() == 9 + 3 + 2);
}

TEST_CASE("layer: a layer without parameters has none") {
  const ReLU relu;
  CHECK(relu.parameters().empty());
  CHECK(relu.parameter_count() == 0);
}

TEST_CASE("layer: a parameter that is reached twice counts once") {
  Tied tied;
  CHECK(tied.parameters().size() == 1);
  CHECK(tied.named_parameters()[0].name == "first.weight");

  SUBCASE("and its clone is tied as well, but to nothing outside") {
    const auto clone = tied.clone();
    CHECK(clone->first.weight().impl() == clone->second.weight().impl());
    CHECK(clone->first.weight().impl() != tied.first.weight().impl());
  }
}

TEST_CASE("layer: copies share parameters, clones have their own") {
  Residual layer;
  Residual copy = layer;
  const auto clone = layer.clone();  // a Residual, not only a Layer
  CHECK(copy.inner.weight().impl() == layer.inner.weight().impl());
  CHECK(values(clone->inner.weight()) == values(layer.inner.weight()));
  CHECK(clone->inner.weight().requires_grad());

  no_grad([&] { layer.scale.fill(7); });
  CHECK(values(copy.scale) == std::vector<float>{7, 7});
  CHECK(values(clone->scale) == std::vector<float>{1, 1});

  SUBCASE("modes are each one's own, and cloned") {
    layer.eval();
    CHECK(copy.training());
    CHECK_FALSE(layer.clone()->training());
  }
  SUBCASE("gradients are not cloned") {
    sum(layer.scale).backward();
    CHECK(layer.scale.grad().defined());
    CHECK_FALSE(layer.clone()->scale.grad().defined());
  }
  SUBCASE("a frozen parameter stays frozen in the clone") {
    layer.scale.set_requires_grad(false);
    CHECK_FALSE(layer.clone()->scale.requires_grad());
  }
}

TEST_CASE("layer: train and eval reach all children") {
  Residual layer;
  CHECK(layer.training());
  CHECK(layer.drop.training());
  layer.eval();
  CHECK_FALSE(layer.training());
  CHECK_FALSE(layer.drop.training());
  layer.train();
  CHECK(layer.drop.training());
}

TEST_CASE("layer: zero_grad drops gradients") {
  Residual layer;
  sum(layer.scale).backward();
  layer.zero_grad();
  CHECK_FALSE(layer.scale.grad().defined());
}

TEST_CASE("layer: to() moves parameters and gradients, and handles on them follow") {
  Residual layer;
  const Tensor handle = layer.scale;
  const std::vector<float> weight = values(layer.inner.weight());
  sum(layer.scale).backward();
  for (const Device device : devices()) {
    layer.to(device);
    for (const Tensor& parameter : layer.parameters()) {
      CHECK(parameter.device() == device);
      CHECK(parameter.requires_grad());
      CHECK(parameter.is_leaf());
    }
    CHECK(handle.device() == device);
    CHECK(handle.grad().device() == device);
    CHECK(values(handle.grad()) == std::vector<float>{1, 1});
    CHECK(values(layer.inner.weight()) == weight);
    const Tensor x = ones({2, 3}, {.device = device});
    CHECK(layer(x).device() == device);
  }
}

TEST_CASE("layer: an optimizer made before to() steps the moved parameters") {
  Residual layer;
  SGD sgd({layer.scale}, {.learning_rate = 1, .momentum = 0.5f});
  float expected = 1, momentum = 0;
  for (const Device device : devices()) {
    layer.to(device);
    layer.zero_grad();
    sum(layer.scale).backward();
    sgd.step();
    momentum = 0.5f * momentum + 1;
    expected -= momentum;
    CHECK(values(layer.scale) == std::vector<float>{expected, expected});
  }
}

TEST_CASE("layer: buffers are state, not parameters") {
  Sequential net{Counted(), Linear(1, 2)};
  const auto state = net.named_state();
  REQUIRE(state.size() == 4);
  CHECK(state[0].name == "0.calls");
  CHECK(state[1].name == "0.scale");
  CHECK(state[2].name == "1.weight");
  CHECK(state[3].name == "1.bias");
  CHECK(net.parameters().size() == 3);
  CHECK(net.named_parameters()[0].name == "0.scale");
  CHECK(net.parameter_count() == 1 + 2 + 2);
}

TEST_CASE("layer: a copy shares buffers, a clone has its own") {
  Counted layer;
  Counted copy = layer;
  const auto clone = layer.clone();
  CHECK_FALSE(clone->calls.requires_grad());
  (void)layer(ones({1}));
  CHECK(values(copy.calls) == std::vector<float>{1});
  CHECK(values(clone->calls) == std::vector<float>{0});
}

TEST_CASE("layer: to() moves buffers, and handles on them follow") {
  Counted layer;
  const Tensor handle = layer.calls;
  float calls = 0;
  for (const Device device : devices()) {
    layer.to(device);
    CHECK(handle.device() == device);
    (void)layer(ones({1}, {.device = device}));
    CHECK(values(handle) == std::vector<float>{++calls});
  }
}
