// What each function refuses: the wrong input beside the right one.
#include <doctest/doctest.h>

#include <cmath>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("add and mul: shapes and types") {
  CHECK(add(of({2, 1}), of({3})).shape() == Shape{2, 3});
  CHECK(error_of([] {
          return add(of({2, 2}), of({3}));
        }) == "invalid_argument: add: shapes must be equal or broadcast, got f32[2,2] and f32[3]");
  CHECK(error_of([] { return mul(of({2}), of({2}, DType::f64)); }) ==
        "invalid_argument: mul: operands must have one type, got f32[2] and f64[2]; cast() one of "
        "them");
  CHECK(add(of({0, 3}), of({3})).shape() == Shape{0, 3});
  CHECK(add(of({2}, DType::i32), of({2}, DType::i32)).dtype() == DType::i32);
}

TEST_CASE("affine: whole numbers for integers") {
  const Tensor whole = full({2}, 3, on_reference(DType::i32));
  CHECK((whole * 2.0).to_vector<std::int32_t>() == std::vector<std::int32_t>{6, 6});
  CHECK(
      error_of([&] { return whole * 0.5; }) ==
      "invalid_argument: affine: i32[2] takes whole numbers, got scale 0.5 and shift 0; cast() it "
      "first");
  CHECK(
      error_of([&] { return whole + 0.25; }) ==
      "invalid_argument: affine: i32[2] takes whole numbers, got scale 1 and shift 0.25; cast() it "
      "first");
}

TEST_CASE("arithmetic: types, and numbers that a type hasn't") {
  const Tensor whole = full({2}, 6, on_reference(DType::i32));
  CHECK((whole - 2).to_vector<std::int32_t>() == std::vector<std::int32_t>{4, 4});
  CHECK((10 - whole).to_vector<std::int32_t>() == std::vector<std::int32_t>{4, 4});
  CHECK(error_of([&] { return whole / whole; }) ==
        "invalid_argument: div: expects floating types, got i32[2]; cast() it, or its operands");
  CHECK(error_of([&] { return whole / 2; }) ==
        "invalid_argument: div: expects floating types, got i32[2]; cast() it, or its operands");
  CHECK(error_of([&] { return 2 / whole; }) ==
        "invalid_argument: div: expects floating types, got i32[2]; cast() it, or its operands");
  CHECK(error_of([&] { return pow(whole, 2); }) ==
        "invalid_argument: pow: expects floating types, got i32[2]; cast() it, or its operands");
  CHECK(error_of([&] { return sub(of({2}), whole); }) ==
        "invalid_argument: sub: operands must have one type, got f32[2] and i32[2]; cast() one of "
        "them");
  CHECK(error_of([&] {
          return maximum(of({2, 2}), of({3}));
        }) ==
        "invalid_argument: maximum: shapes must be equal or broadcast, got f32[2,2] and f32[3]");
}

TEST_CASE("comparisons and logic: types, and numbers that a type hasn't") {
  const Tensor whole = full({2}, 6, on_reference(DType::u8));
  CHECK(less(whole, 7).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{1, 1});
  CHECK(error_of([&] { return less(whole, 6.5); }) ==
        "invalid_argument: less: u8[2] takes whole numbers of its type, got 6.5; cast() it first");
  CHECK(error_of([&] { return equal(whole, -1); }) ==
        "invalid_argument: equal: u8[2] takes whole numbers of its type, got -1; cast() it first");
  CHECK(error_of([&] { return greater(of({2}), whole); }) ==
        "invalid_argument: greater: operands must have one type, got f32[2] and u8[2]; cast() one "
        "of them");
  CHECK(error_of([&] { return logical_and(whole, of({2})); }) ==
        "invalid_argument: logical_and: expects u8, the type of truth values, got f32[2]; compare "
        "it, as in not_equal(x, 0)");
  CHECK(error_of([&] { return logical_not(of({2})); }) ==
        "invalid_argument: logical_not: expects u8, the type of truth values, got f32[2]; compare "
        "it, as in not_equal(x, 0)");
  CHECK(error_of([&] { return where(of({2}), whole, whole); }) ==
        "invalid_argument: where: expects u8, the type of truth values, got f32[2]; compare it, as "
        "in not_equal(x, 0)");
  CHECK(error_of([&] { return where(whole, of({2}), whole); }) ==
        "invalid_argument: where: operands must have one type, got f32[2] and u8[2]; cast() one of "
        "them");
  CHECK(error_of([&] {
          return where(whole, of({3}), of({2, 2}));
        }) ==
        "invalid_argument: where: shapes must be equal or broadcast, got u8[2] and f32[3] and "
        "f32[2,2]");
  CHECK(where(whole, of({3, 1}), of({1})).shape() == Shape{3, 2});
}

TEST_CASE("extrema, variances and running sums: axes and types") {
  const Tensor x = counting({2, 3});
  CHECK(max(x, {-1}).shape() == Shape{2});
  CHECK(max(of({0, 3}), {1}).shape() == Shape{0});
  CHECK(error_of([] {
          return max(of({2, 0}), {1});
        }) ==
        "invalid_argument: max: there are no elements over the axes of f32[2,0], so nothing is "
        "largest");
  CHECK(error_of([] { return min(of({0})); }) ==
        "invalid_argument: min: there are no elements over the axes of f32[0], so nothing is "
        "smallest");
  CHECK(error_of([] {
          return arg_min(of({2, 0}));
        }) == "invalid_argument: arg_min: axis -1 of f32[2,0] is empty, so nothing is smallest");
  CHECK(error_of([] { return var(of({2}, DType::i32)); }) ==
        "invalid_argument: var: expects a floating type, got i32[2]; cast() it");
  CHECK(error_of([&] { return stddev(x, {}, -1); }) ==
        "invalid_argument: stddev: correction can't be negative, got -1; 1 corrects for the mean's "
        "own deviation, 0 doesn't");
  CHECK(error_of([&] { return prod(x, {2}); }) ==
        "out_of_range: prod: axis 2 is outside [-2, 2) of shape [2,3]");
  CHECK(error_of([&] { return cumsum(x, 2); }) ==
        "out_of_range: cumsum: axis 2 is outside [-2, 2) of shape [2,3]");
}

TEST_CASE("sum, mean and arg_max: axes and types") {
  const Tensor x = counting({2, 3});
  CHECK(sum(x, {-1}).shape() == Shape{2});
  CHECK(sum(x, {-1}, true).shape() == Shape{2, 1});
  CHECK(sum(x).item() == 15);
  CHECK(sum(of({0, 2}), {0}).to_vector<float>() == std::vector<float>{0, 0});
  CHECK(error_of([&] { return sum(x, {2}); }) ==
        "out_of_range: sum: axis 2 is outside [-2, 2) of shape [2,3]");
  CHECK(error_of([&] { return mean(x, {-3}); }) ==
        "out_of_range: mean: axis -3 is outside [-2, 2) of shape [2,3]");
  CHECK(error_of([] { return mean(of({2}, DType::i32)); }) ==
        "invalid_argument: mean: expects a floating type, got i32[2]; cast() it");
  CHECK(arg_max(x).to_vector<std::int64_t>() == std::vector<std::int64_t>{2, 2});
  CHECK(error_of([&] { return arg_max(x, 2); }) ==
        "out_of_range: arg_max: axis 2 is outside [-2, 2) of shape [2,3]");
  CHECK(error_of([] {
          return arg_max(of({2, 0}));
        }) == "invalid_argument: arg_max: axis -1 of f32[2,0] is empty, so nothing is largest");
}

TEST_CASE("relu and softmax: types and axes") {
  CHECK(error_of([] { return relu(of({2}, DType::u8)); }) ==
        "invalid_argument: relu: expects a floating type, got u8[2]; cast() it");
  CHECK(error_of([] { return softmax(of({2}, DType::i64)); }) ==
        "invalid_argument: softmax: expects a floating type, got i64[2]; cast() it");
  CHECK(error_of([] {
          return log_softmax(of({2, 2}), 2);
        }) == "out_of_range: log_softmax: axis 2 is outside [-2, 2) of shape [2,2]");
}

TEST_CASE("functions of one element: types and parameters") {
  const Tensor x = of({2});
  CHECK(error_of([] { return neg(of({2}, DType::i32)); }) ==
        "invalid_argument: neg: expects a floating type, got i32[2]; cast() it");
  CHECK(error_of([] { return gelu(of({2}, DType::u8)); }) ==
        "invalid_argument: gelu: expects a floating type, got u8[2]; cast() it");
  CHECK(error_of([&] { return clamp(x, {}); }) ==
        "invalid_argument: clamp: expects a bound, got neither min nor max; give one of them");
  CHECK(error_of([&] { return clamp(x, {.min = NAN, .max = 1}); }) ==
        "invalid_argument: clamp: bounds must be numbers, got min nan and max 1; leave one out "
        "instead");
  CHECK(values_of(clamp(x, {.min = 1})) == std::vector<float>{1, 1});
  CHECK(error_of([&] { return leaky_relu(x, INFINITY); }) ==
        "invalid_argument: leaky_relu: negative_slope must be a finite number, got inf");
  CHECK(error_of([&] { return elu(x, NAN); }) ==
        "invalid_argument: elu: alpha must be a finite number, got nan");
  CHECK(error_of([&] { return softplus(x, 0); }) ==
        "invalid_argument: softplus: beta must be above 0, got 0");
  CHECK(error_of([&] { return softplus(x, INFINITY); }) ==
        "invalid_argument: softplus: beta must be a finite number, got inf");
  CHECK(error_of([&] { return softplus(x, 1, NAN); }) ==
        "invalid_argument: softplus: threshold must be a number, got nan");
}

TEST_CASE("matmul and linear: shapes") {
  CHECK(matmul(of({2, 3}), of({3, 4}), of({4})).shape() == Shape{2, 4});
  CHECK(error_of([] {
          return matmul(of({2, 3}), of({2, 4}));
        }) ==
        "invalid_argument: matmul: the left operand's columns must be the right one's rows, got "
        "f32[2,3] and f32[2,4]");
  CHECK(matmul(of({3}), of({3, 4})).shape() == Shape{4});
  CHECK(matmul(of({2, 3}), of({3})).shape() == Shape{2});
  CHECK(matmul(of({3}), of({3})).shape() == Shape{});
  CHECK(matmul(of({5, 1, 2, 3}), of({4, 3, 7})).shape() == Shape{5, 4, 2, 7});
  CHECK(matmul(of({3}), of({5, 3, 7})).shape() == Shape{5, 7});
  CHECK(matmul(of({5, 2, 3}), of({3})).shape() == Shape{5, 2});
  CHECK(matmul(of({5, 2, 3}), of({3, 4}), of({4})).shape() == Shape{5, 2, 4});
  CHECK(error_of([] { return matmul(of({}), of({3})); }) ==
        "invalid_argument: matmul: operands expect an axis or more, got f32[] and f32[3]");
  CHECK(error_of([] {
          return matmul(of({2, 2, 3}), of({5, 3, 4}));
        }) ==
        "invalid_argument: matmul: leading axes must be equal or broadcast, got f32[2,2,3] and "
        "f32[5,3,4]");
  CHECK(error_of([] {
          return matmul(of({5, 2, 3}), of({5, 3, 4}), of({4}));
        }) ==
        "invalid_argument: matmul: with a bias the right operand expects 2 axes, got f32[5,3,4]; "
        "add it afterwards");
  CHECK(error_of([] {
          return matmul(of({2, 3}), of({3, 4}), of({3}));
        }) == "invalid_argument: matmul: bias expects one value for each of 4 columns, got f32[3]");
  CHECK(error_of([] {
          return matmul(of({2, 3}, DType::i32), of({3, 4}, DType::i32));
        }) == "invalid_argument: matmul: expects a floating type, got i32[2,3]; cast() it");
  CHECK(
      error_of([] {
        return matmul(of({2, 3}), of({3, 4}), of({4}, DType::f64));
      }) ==
      "invalid_argument: matmul: operands must have one type, got f32[2,3] and f64[4]; cast() one "
      "of them");
  CHECK(linear(of({2, 3}), of({4, 3})).shape() == Shape{2, 4});
  CHECK(error_of([] {
          return linear(of({2, 3}), of({4, 5}));
        }) ==
        "invalid_argument: linear: weight expects 5 input features, input has 3 (input f32[2,3], "
        "weight f32[4,5])");
  CHECK(linear(of({2, 5, 3}), of({4, 3}), of({4})).shape() == Shape{2, 5, 4});
  CHECK(linear(of({3}), of({4, 3})).shape() == Shape{4});
  CHECK(error_of([] {
          return linear(of({}), of({4, 3}));
        }) == "invalid_argument: linear: input expects an axis of features, got f32[]");
}

TEST_CASE("dropout: probabilities and axes") {
  const Tensor x = of({2, 3});
  CHECK(dropout(x, 0.5f, false).impl() == x.impl());
  CHECK(dropout(x, 0).impl() == x.impl());
  CHECK(error_of([&] { return dropout(x, 1); }) ==
        "invalid_argument: dropout: p must be in [0, 1), got 1");
  CHECK(error_of([&] { return dropout(x, -0.5f); }) ==
        "invalid_argument: dropout: p must be in [0, 1), got -0.5");
  CHECK(error_of([] { return dropout(of({})); }) ==
        "invalid_argument: dropout: expects at least one axis, of samples, got f32[]");
  CHECK(error_of([] { return dropout2d(of({2})); }) ==
        "invalid_argument: dropout2d: expects axes of samples and channels, got f32[2]");
  CHECK(error_of([] {
          return dropout2d(of({2, 2}, DType::i32));
        }) == "invalid_argument: dropout2d: expects a floating type, got i32[2,2]; cast() it");
}

TEST_CASE("cast and normalize") {
  const Tensor x = tensor({-1.5f, 2.5f, 300}, on_reference());
  CHECK(cast(x, DType::u8).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{0, 2, 255});
  CHECK(cast(x, DType::f32).impl() == x.impl());
  const Tensor image = full({1, 2, 1, 1}, 255, on_reference(DType::u8));
  const Tensor mean = tensor({0, 0.5f}, on_reference()), deviation = tensor({1, 2}, on_reference());
  CHECK(values_of(normalize(image, mean, deviation)) == std::vector<float>{1, 0.25f});
  CHECK(error_of([&] { return normalize(x, mean, deviation); }) ==
        "invalid_argument: normalize: expects u8[N,C,...], got f32[3]");
  CHECK(error_of([&] { return normalize(image, mean, x); }) ==
        "invalid_argument: normalize: mean and deviation are f32[2], one value for each channel of "
        "u8[1,2,1,1], got f32[2] and f32[3]");
}
