// What the normalisations refuse: the wrong input beside the right one.
#include <doctest/doctest.h>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("normalisation: shapes, types and parameters") {
  const Tensor x = of({2, 4, 3});
  CHECK(layer_norm(x, {4, 3}, of({4, 3}), of({4, 3})).shape() == x.shape());
  CHECK(error_of([&] { return layer_norm(x, {4}); }) ==
        "invalid_argument: layer_norm: expects last axes of [4], got f32[2,4,3]");
  CHECK(error_of([&] { return layer_norm(x, {}); }) ==
        "invalid_argument: layer_norm: expects last axes of [], got f32[2,4,3]");
  CHECK(error_of([&] { return layer_norm(x, {3}, of({4})); }) ==
        "invalid_argument: layer_norm: weight expects the shape of what is normalised, [3], got "
        "f32[4]");
  CHECK(error_of([&] { return layer_norm(x, {3}, {}, {}, -1); }) ==
        "invalid_argument: layer_norm: epsilon must be a finite number from 0 on, got -1");
  CHECK(error_of([] { return layer_norm(of({3}, DType::i32), {3}); }) ==
        "invalid_argument: layer_norm: expects a floating type, got i32[3]; cast() it");
  CHECK(group_norm(x, 2, of({4}), of({4})).shape() == x.shape());
  CHECK(error_of([&] { return group_norm(x, 3); }) ==
        "invalid_argument: group_norm: 4 channels don't divide into 3 groups (input f32[2,4,3])");
  CHECK(error_of([&] { return group_norm(x, 2, {}, of({2})); }) ==
        "invalid_argument: group_norm: bias expects one value for each of 4 channels, got f32[2] "
        "(input f32[2,4,3])");
  CHECK(error_of([] { return group_norm(of({2}), 1); }) ==
        "invalid_argument: group_norm: expects axes of samples and channels, got f32[2]");
  CHECK(error_of([&] { return scale_shift(x, of({3}, DType::f64), of({3})); }) ==
        "invalid_argument: scale_shift: operands must have one type, got f32[2,4,3] and f64[3]; "
        "cast() one of them");
}

TEST_CASE("batch_norm: statistics, shapes and options") {
  const Tensor x = of({2, 4}), values = of({4});
  const BatchNormOptions training{.training = true};
  CHECK(batch_norm(x, values, values, values, values).shape() == x.shape());
  CHECK(batch_norm(x, {}, {}, {}, {}, training).shape() == x.shape());
  CHECK(error_of([&] { return batch_norm(x, {}, {}); }) ==
        "invalid_argument: batch_norm: outside training it takes running_mean and running_var, got "
        "neither");
  CHECK(error_of([&] { return batch_norm(x, values, {}, {}, {}, training); }) ==
        "invalid_argument: batch_norm: running_mean and running_var come together, got only "
        "running_mean");
  CHECK(error_of([&] { return batch_norm(x, values, of({3})); }) ==
        "invalid_argument: batch_norm: running_var expects one value for each of 4 channels, got "
        "f32[3] (input f32[2,4])");
  CHECK(error_of([&] {
          return batch_norm(of({1, 4}), values, values, {}, {}, training);
        }) ==
        "invalid_argument: batch_norm: training takes more than one value a channel, got 1 (input "
        "f32[1,4]); make the batch larger or call eval()");
  CHECK(batch_norm(of({1, 4}), values, values).shape() == Shape{1, 4});
  CHECK(batch_norm(of({1, 4, 2}), values, values, {}, {}, training).shape() == Shape{1, 4, 2});
  CHECK(error_of([&] {
          return batch_norm(x, {}, {}, {}, {}, {.training = true, .momentum = 2});
        }) == "invalid_argument: batch_norm: momentum must be in [0, 1], got 2");
}
