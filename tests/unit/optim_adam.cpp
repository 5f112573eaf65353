// Adam: each option against the definition in double.
#include "backplane/optim/adam.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "backplane/functional.hpp"
#include "optim_support.hpp"

using namespace backplane;

namespace {

// One parameter by the header's formula.
struct Expected {
  Adam::Options options;
  double p, m = 0, v = 0;
  int t = 0;

  void step(double g) {
    ++t;
    g += options.weight_decay * p;
    m = options.beta1 * m + (1 - options.beta1) * g;
    v = options.beta2 * v + (1 - options.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(options.beta1, t));
    const double v_hat = v / (1 - std::pow(options.beta2, t));
    p -= options.learning_rate * m_hat / (std::sqrt(v_hat) + options.epsilon);
  }
};

void check_against_definition(const Adam::Options& options) {
  ::check_against_definition<Adam, Expected>(options, 5, 1e-5);
}

}  // namespace

TEST_CASE("adam: defaults are the paper's") {
  const Adam::Options options;
  CHECK(options.learning_rate == 1e-3f);
  CHECK(options.beta1 == 0.9f);
  CHECK(options.beta2 == 0.999f);
  CHECK(options.epsilon == 1e-8f);
  CHECK(options.weight_decay == 0);
  check_against_definition(options);
}
TEST_CASE("adam: learning rate") {
  check_against_definition({.learning_rate = 0.1f});
}
TEST_CASE("adam: betas") {
  check_against_definition({.learning_rate = 0.1f, .beta1 = 0.5f, .beta2 = 0.75f});
  check_against_definition({.learning_rate = 0.1f, .beta1 = 0, .beta2 = 0});
}
TEST_CASE("adam: epsilon") {
  check_against_definition({.learning_rate = 0.1f, .epsilon = 0.5f});
}
TEST_CASE("adam: weight decay") {
  check_against_definition({.learning_rate = 0.1f, .weight_decay = 0.25f});
}

namespace {

// As Expected, with weight decay that scales p.
struct ExpectedW {
  AdamW::Options options;
  double p;
  Expected adam = {{options.learning_rate, options.beta1, options.beta2, options.epsilon, 0}, p};

  void step(double g) {
    adam.p = p * (1 - options.learning_rate * options.weight_decay);
    adam.step(g);
    p = adam.p;
  }
};

}  // namespace

TEST_CASE("adamw: weight decay stays out of the moments") {
  CHECK(AdamW::Options().weight_decay == 1e-2f);
  ::check_against_definition<AdamW, ExpectedW>({}, 5, 1e-5);
  ::check_against_definition<AdamW, ExpectedW>({.learning_rate = 0.1f, .weight_decay = 0.5f}, 5,
                                               1e-5);
  CHECK_THROWS_WITH_AS(AdamW({ones({2}, {.requires_grad = true})}, {.beta1 = 1}),
                       "AdamW: beta1 must be in [0, 1), got 1", Error);
}

TEST_CASE("adam: a parameter that joins late is corrected by its own steps") {
  const Adam::Options options{.learning_rate = 0.1f};
  Tensor early = full({1}, 1, {.requires_grad = true}), late = early.detach().clone();
  late.set_requires_grad();
  Adam adam({early, late}, options);
  Expected expected_late{options, 1};
  for (int step = 0; step < 4; ++step) {
    adam.zero_grad();
    sum(early).backward();
    if (step == 2 || step == 3) {
      sum(late * late).backward();
      expected_late.step(2 * expected_late.p);
    }
    adam.step();
  }
  CHECK(late.item() == doctest::Approx(expected_late.p).epsilon(1e-5));
}

TEST_CASE("adam: refusals") {
  const auto make = [](const Adam::Options& options) {
    return Adam({ones({2}, {.requires_grad = true})}, options);
  };
  CHECK_THROWS_WITH_AS(make({.learning_rate = INFINITY}),
                       "Adam: learning_rate must be finite and not negative, got inf", Error);
  CHECK_THROWS_WITH_AS(make({.beta1 = 1}), "Adam: beta1 must be in [0, 1), got 1", Error);
  CHECK_THROWS_WITH_AS(make({.beta2 = -1}), "Adam: beta2 must be in [0, 1), got -1", Error);
  CHECK_THROWS_WITH_AS(make({.epsilon = -1}), "Adam: epsilon must not be negative, got -1", Error);
  CHECK_THROWS_WITH_AS(make({.weight_decay = -1}),
                       "Adam: weight_decay must not be negative, got -1", Error);
}
