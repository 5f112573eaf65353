// Functions that are made of several operations: what they compute, beside their gradients.
#include <doctest/doctest.h>

#include <cmath>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Truths = std::vector<std::uint8_t>;

Truths truths_of(const Tensor& x) {
  return x.to_vector<std::uint8_t>();
}

Tensor of(std::initializer_list<float> values) {
  return tensor(values, on_reference());
}

}  // namespace

TEST_CASE("compositions: greater, logical_not, is_nan, is_finite") {
  const Tensor x = of({1, 2, 3, NAN, INFINITY, -INFINITY});
  CHECK(truths_of(greater(x, 2)) == Truths{0, 0, 1, 0, 1, 0});
  CHECK(truths_of(greater_equal(x, 2)) == Truths{0, 1, 1, 0, 1, 0});
  CHECK(truths_of(greater(of({3}), of({1, 5}))) == Truths{1, 0});
  CHECK(truths_of(logical_not(greater(x, 2))) == Truths{1, 1, 0, 1, 0, 1});
  CHECK(truths_of(is_nan(x)) == Truths{0, 0, 0, 1, 0, 0});
  CHECK(truths_of(is_finite(x)) == Truths{1, 1, 1, 0, 0, 0});
  CHECK(truths_of(is_finite(full({2}, 3, on_reference(DType::i32)))) == Truths{1, 1});
}

TEST_CASE("compositions: any and all") {
  const Tensor x = tensor(std::vector<float>{0, 0, 0, 3, NAN, -1}, {2, 3}, on_reference());
  CHECK(truths_of(any(x, {1})) == Truths{0, 1});
  CHECK(truths_of(all(x, {1})) == Truths{0, 1});
  CHECK(truths_of(all(x, {0}, true)) == Truths{0, 0, 0});
  CHECK(any(x, {0}, true).shape() == Shape{1, 3});
  const Tensor none = zeros({2, 0}, on_reference());
  CHECK(truths_of(any(none, {1})) == Truths{0, 0});
  CHECK(truths_of(all(none, {1})) == Truths{1, 1});
  CHECK(all(none, {1}, true).shape() == Shape{2, 1});
  CHECK(all(none).item<int>() == 1);
}

TEST_CASE("compositions: var and stddev, whatever the mean") {
  CHECK(var(of({1, 2, 3, 4})).item<double>() == doctest::Approx(5.0 / 3));
  CHECK(var(of({1, 2, 3, 4}), {}, 0).item<double>() == doctest::Approx(1.25));
  CHECK(stddev(of({1, 2, 3, 4}), {}, 0).item<double>() == doctest::Approx(std::sqrt(1.25)));
  const Tensor far = of({1e6f + 1, 1e6f + 2, 1e6f + 3, 1e6f + 4});
  CHECK(var(far, {}, 0).item<double>() == doctest::Approx(1.25));
  // 16-bit floats have neither the digits of this mean nor room for the squares.
  const Tensor narrow = cast(of({1000, 1002, 600, 602}), DType::f16);
  const Tensor narrow_var = var(narrow.reshape({2, 2}), {1}, 0);
  CHECK(narrow_var.dtype() == DType::f16);
  CHECK(values_of(cast(narrow_var, DType::f32)) == std::vector<float>{1, 1});
  CHECK(std::isnan(var(of({3})).item()));
  CHECK(std::isnan(var(zeros({0}, on_reference()), {}, 0).item()));
  CHECK(std::isnan(var(of({1, NAN})).item()));
}

TEST_CASE("compositions: quotients of tensors and numbers are rounded once") {
  CHECK(values_of(of({1, 10}) / 3) == std::vector<float>{1.0f / 3, 10.0f / 3});
  CHECK(values_of(10 / of({3, 7})) == std::vector<float>{10.0f / 3, 10.0f / 7});
  CHECK(values_of(of({-0.0f, 2}) / 0)[1] == INFINITY);
  CHECK(values_of(pow(of({2, -2, 0}), 3)) == std::vector<float>{8, -8, 0});
}
