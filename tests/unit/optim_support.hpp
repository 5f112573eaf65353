// What the tests of optimizers share.
#pragma once

#include <doctest/doctest.h>

#include "backplane/functional.hpp"
#include "backplane/optim/optimizer.hpp"

// Steps on x * x / 2, whose gradient is x, for two parameters of different shapes. Definition is
// made of {options, value}; its step(gradient) moves its value `p` by the formula, in double.
template <class Optimizer, class Definition>
void check_against_definition(const typename Optimizer::Options& options, int steps,
                              double epsilon) {
  using namespace backplane;
  const std::vector<float> start = {1, -2, 0.5f, 3};
  std::vector<Definition> expected;
  for (const float value : start) expected.push_back({options, value});
  const Tensor all = tensor(start, {4});
  Tensor a = all.slice(0, 0, 1).clone().set_requires_grad();
  Tensor b = all.slice(0, 1, 4).clone().set_requires_grad();
  Optimizer optimizer({a, b}, options);
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    sum(a * a * 0.5).backward();
    sum(b * b * 0.5).backward();
    for (Definition& one : expected) one.step(one.p);
    optimizer.step();
    CHECK(a.item() == doctest::Approx(expected[0].p).epsilon(epsilon));
    const auto rest = b.to_vector<float>();
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(rest[i] == doctest::Approx(expected[i + 1].p).epsilon(epsilon));
    }
  }
  CHECK(optimizer.step_count() == steps);
}
