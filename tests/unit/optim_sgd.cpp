// SGD: each option against the definition in double.
#include "backplane/optim/sgd.hpp"

#include <doctest/doctest.h>

#include "backplane/functional.hpp"
#include "optim_support.hpp"

using namespace backplane;

namespace {

// One parameter by the header's formula.
struct Expected {
  SGD::Options options;
  double p, m = 0;
  bool first = true;

  void step(double g) {
    g += options.weight_decay * p;
    m = first ? g : options.momentum * m + (1 - options.dampening) * g;
    first = false;
    if (options.momentum == 0) m = g;
    p -= options.learning_rate * (options.nesterov ? g + options.momentum * m : m);
  }
};

void check_against_definition(const SGD::Options& options) {
  ::check_against_definition<SGD, Expected>(options, 3, 1e-6);
}

}  // namespace

TEST_CASE("sgd: plain") {
  check_against_definition({.learning_rate = 0.1f});
}
TEST_CASE("sgd: momentum") {
  check_against_definition({.learning_rate = 0.1f, .momentum = 0.9f});
}
TEST_CASE("sgd: dampening acts from the second step on") {
  check_against_definition({.learning_rate = 0.1f, .momentum = 0.9f, .dampening = 0.5f});
}
TEST_CASE("sgd: weight decay") {
  check_against_definition({.learning_rate = 0.1f, .weight_decay = 0.01f});
  check_against_definition({.learning_rate = 0.1f, .momentum = 0.9f, .weight_decay = 0.01f});
}
TEST_CASE("sgd: nesterov") {
  check_against_definition(
      {.learning_rate = 0.1f, .momentum = 0.9f, .weight_decay = 0.01f, .nesterov = true});
}

TEST_CASE("sgd: a parameter that joins late starts its momentum with its first gradient") {
  const SGD::Options options{.learning_rate = 0.1f, .momentum = 0.9f, .dampening = 0.5f};
  Tensor early = full({1}, 1, {.requires_grad = true}), late = early.detach().clone();
  late.set_requires_grad();
  SGD sgd({early, late}, options);
  Expected expected_early{options, 1}, expected_late{options, 1};
  for (int step = 0; step < 3; ++step) {
    sgd.zero_grad();
    sum(early).backward();
    expected_early.step(1);
    if (step > 0) {
      sum(late).backward();
      expected_late.step(1);
    }
    sgd.step();
  }
  CHECK(early.item() == doctest::Approx(expected_early.p));
  CHECK(late.item() == doctest::Approx(expected_late.p));
}

TEST_CASE("sgd: refusals") {
  const auto make = [](const SGD::Options& options) {
    return SGD({ones({2}, {.requires_grad = true})}, options);
  };
  CHECK_THROWS_WITH_AS(make({.learning_rate = -1}),
                       "SGD: learning_rate must be finite and not negative, got -1", Error);
  CHECK_THROWS_WITH_AS(make({.momentum = 1}), "SGD: momentum must be in [0, 1), got 1", Error);
  CHECK_THROWS_WITH_AS(make({.momentum = -0.5f}), "SGD: momentum must be in [0, 1), got -0.5",
                       Error);
  CHECK_THROWS_WITH_AS(make({.momentum = 0.5f, .dampening = 2}),
                       "SGD: dampening must be in [0, 1], got 2", Error);
  CHECK_THROWS_WITH_AS(make({.weight_decay = -1}), "SGD: weight_decay must not be negative, got -1",
                       Error);
  const char* nesterov = "SGD: nesterov needs momentum and no dampening, got momentum";
  CHECK_THROWS_WITH_AS(make({.nesterov = true}), doctest::Contains(nesterov), Error);
  CHECK_THROWS_WITH_AS(make({.momentum = 0.5f, .dampening = 0.5f, .nesterov = true}),
                       doctest::Contains(nesterov), Error);
}
