// RMSprop: each option against the definition in double.
#include "backplane/optim/rmsprop.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "optim_support.hpp"

using namespace backplane;

namespace {

// One parameter by the header's formula.
struct Expected {
  RMSprop::Options options;
  double p, v = 0, a = 0, m = 0;

  void step(double g) {
    g += options.weight_decay * p;
    v = options.alpha * v + (1 - options.alpha) * g * g;
    a = options.alpha * a + (1 - options.alpha) * g;
    const double variance = options.centered ? v - a * a : v;
    m = options.momentum * m + g / (std::sqrt(variance) + options.epsilon);
    p -= options.learning_rate * m;
  }
};

void check_against_definition(const RMSprop::Options& options) {
  ::check_against_definition<RMSprop, Expected>(options, 5, 1e-5);
}

}  // namespace

TEST_CASE("rmsprop: defaults, and each option") {
  check_against_definition({});
  check_against_definition({.learning_rate = 0.1f, .alpha = 0.5f});
  check_against_definition({.epsilon = 0.5f});
  check_against_definition({.weight_decay = 0.25f});
  check_against_definition({.momentum = 0.75f});
  check_against_definition({.alpha = 0.75f, .epsilon = 1e-3f, .centered = true});
  check_against_definition({.alpha = 0.75f, .epsilon = 1e-3f, .momentum = 0.5f, .centered = true});
}

TEST_CASE("rmsprop: refusals") {
  const auto make = [](const RMSprop::Options& options) {
    return RMSprop({ones({2}, {.requires_grad = true})}, options);
  };
  CHECK_THROWS_WITH_AS(make({.alpha = 1}), "RMSprop: alpha must be in [0, 1), got 1", Error);
  CHECK_THROWS_WITH_AS(make({.epsilon = -1}), "RMSprop: epsilon must not be negative, got -1",
                       Error);
  CHECK_THROWS_WITH_AS(make({.weight_decay = -1}),
                       "RMSprop: weight_decay must not be negative, got -1", Error);
  CHECK_THROWS_WITH_AS(make({.momentum = 1}), "RMSprop: momentum must be in [0, 1), got 1", Error);
}
