// Clipping of gradients: by their common norm and by value, without a read.
#include "backplane/optim/clip.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "backplane/functional.hpp"

using namespace backplane;

namespace {

Tensor with_gradient(const std::vector<float>& gradient) {
  const Shape shape{static_cast<std::int64_t>(gradient.size())};
  Tensor parameter = ones(shape, {.requires_grad = true});
  parameter.set_grad(tensor(gradient, shape));
  return parameter;
}

std::vector<float> gradient_of(const Tensor& parameter) {
  return parameter.grad().to_vector<float>();
}

}  // namespace

TEST_CASE("clip_grad_norm: all gradients together") {
  const std::array parameters{with_gradient({3, 0}), ones({1}, {.requires_grad = true}),
                              with_gradient({-4})};
  CHECK(clip_grad_norm(parameters, 10).item() == 5);
  CHECK(gradient_of(parameters[0]) == std::vector<float>{3, 0});
  CHECK(clip_grad_norm(parameters, 0.5f).item() == 5);
  CHECK(gradient_of(parameters[0])[0] == doctest::Approx(0.3));
  CHECK(gradient_of(parameters[2])[0] == doctest::Approx(-0.4));
  CHECK_FALSE(parameters[1].grad().defined());
}

TEST_CASE("clip_grad_norm: a norm that isn't finite shows") {
  const std::array infinite{with_gradient({3, INFINITY}), with_gradient({1})};
  CHECK(clip_grad_norm(infinite, 1).item() == INFINITY);
  CHECK(gradient_of(infinite[0])[0] == 0);
  CHECK(std::isnan(gradient_of(infinite[0])[1]));
  const std::array unknown{with_gradient({3, NAN}), with_gradient({1})};
  CHECK(std::isnan(clip_grad_norm(unknown, 1).item()));
  CHECK(std::isnan(gradient_of(unknown[1])[0]));
}

TEST_CASE("clip_grad_value: every element by itself") {
  const std::array parameters{with_gradient({3, -0.25f, NAN}), with_gradient({-4})};
  clip_grad_value(parameters, 0.5f);
  const auto first = gradient_of(parameters[0]);
  CHECK(first[0] == 0.5f);
  CHECK(first[1] == -0.25f);
  CHECK(std::isnan(first[2]));
  CHECK(gradient_of(parameters[1]) == std::vector<float>{-0.5f});
}

TEST_CASE("clip: refusals") {
  const std::array parameters{with_gradient({1}), ones({1})};
  CHECK_THROWS_WITH_AS(clip_grad_norm(parameters, -1),
                       "clip_grad_norm: max_norm must not be negative or NaN, got -1", Error);
  CHECK_THROWS_WITH_AS(clip_grad_value(parameters, NAN),
                       "clip_grad_value: limit must not be negative or NaN, got nan", Error);
  CHECK_THROWS_WITH_AS(clip_grad_norm(std::span(parameters).last(1), 1),
                       "clip_grad_norm: none of 1 parameters has a gradient; call backward() first",
                       Error);
  CHECK_THROWS_WITH_AS(clip_grad_norm(std::array{Tensor()}, 1),
                       "clip_grad_norm: parameter 0 is undefined", Error);
}
