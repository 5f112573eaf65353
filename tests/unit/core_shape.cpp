// Functions that put tensors together, take them apart, and turn them round.
#include <doctest/doctest.h>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

using Values = std::vector<float>;

TEST_CASE("concat: along any axis, of views, and of nothing") {
  const Tensor x = counting({2, 2}), y = counting({2, 1});
  CHECK(values_of(concat({x, y}, 1)) == Values{0, 1, 0, 2, 3, 1});
  CHECK(values_of(concat({x, y}, -1)) == Values{0, 1, 0, 2, 3, 1});
  CHECK(values_of(concat({x, x.transpose(0, 1)})) == Values{0, 1, 2, 3, 0, 2, 1, 3});
  CHECK(concat({x, zeros({2, 0}, on_reference())}, 1).shape() == Shape{2, 2});
  CHECK(values_of(concat({x})) == values_of(x));
  const Tensor on_host = counting({2}, Device::host());
  CHECK(values_of(concat({on_host, on_host})) == Values{0, 1, 0, 1});
  CHECK(error_of([] { return concat({}); }) ==
        "invalid_argument: concat: there must be a tensor, got none");
  CHECK(error_of([&] {
          return concat({x, y});
        }) ==
        "invalid_argument: concat: shapes must be equal but for axis 0, got f32[2,2] and f32[2,1]");
  CHECK(error_of([&] {
          return concat({x, counting({2})});
        }) ==
        "invalid_argument: concat: shapes must be equal but for axis 0, got f32[2,2] and f32[2]");
  CHECK(error_of([&] {
          return concat({x, cast(x, DType::f64)});
        }) ==
        "invalid_argument: concat: operands must have one type, got f32[2,2] and f64[2,2]; cast() "
        "one of them");
  CHECK(error_of([&] {
          return concat({x, x.cpu()});
        }) ==
        "invalid_argument: concat: operands are on reference:0 and host; move one with to(device)");
  CHECK(error_of([&] { return concat({x}, 2); }) ==
        "out_of_range: concat: axis 2 is outside [-2, 2) of shape [2,2]");
}

TEST_CASE("stack: a new axis, in each place") {
  const Tensor x = counting({2}), y = counting({2}) + 5;
  CHECK(values_of(stack({x, y})) == Values{0, 1, 5, 6});
  CHECK(stack({x, y}, 1).shape() == Shape{2, 2});
  CHECK(values_of(stack({x, y}, -1)) == Values{0, 5, 1, 6});
  CHECK(error_of([] { return stack({}); }) ==
        "invalid_argument: stack: there must be a tensor, got none");
  CHECK(error_of([&] {
          return stack({x, counting({3})});
        }) == "invalid_argument: stack: shapes must be equal, got f32[2] and f32[3]");
  CHECK(error_of([&] { return stack({x}, 2); }) ==
        "out_of_range: stack: a new axis 2 is outside [-2, 2) of f32[2]");
}

TEST_CASE("split and chunk: views of all parts") {
  const Tensor x = counting({5, 2});
  const auto parts = split(x, {2, 0, 3});
  REQUIRE(parts.size() == 3);
  CHECK(values_of(parts[2]) == Values{4, 5, 6, 7, 8, 9});
  CHECK(parts[1].shape() == Shape{0, 2});
  CHECK(parts[0].native_handle() == x.native_handle());
  CHECK(values_of(split(x, {1, 1}, 1)[1]) == Values{1, 3, 5, 7, 9});
  const auto shapes = [](const std::vector<Tensor>& chunks) {
    std::vector<std::int64_t> sizes;
    for (const Tensor& one : chunks) sizes.push_back(one.size(0));
    return sizes;
  };
  CHECK(shapes(chunk(x, 2)) == std::vector<std::int64_t>{3, 2});
  CHECK(shapes(chunk(x, 4)) == std::vector<std::int64_t>{2, 2, 1});  // as in PyTorch
  CHECK(shapes(chunk(x, 9)) == std::vector<std::int64_t>{1, 1, 1, 1, 1});
  CHECK(shapes(chunk(zeros({0, 2}, on_reference()), 3)) == std::vector<std::int64_t>{0});
  CHECK(error_of([&] {
          return split(x, {2, 2});
        }) ==
        "invalid_argument: split: the sizes must add up to axis 0 of f32[5,2], they are 1 short");
  CHECK(
      error_of([&] { return split(x, {6}); }) ==
      "invalid_argument: split: the sizes must add up to axis 0 of f32[5,2], they are 1 too many");
  CHECK(error_of([&] {
          return split(x, {6, -1});
        }) == "invalid_argument: split: sizes can't be negative, got -1");
  CHECK(error_of([&] { return chunk(x, 0); }) ==
        "invalid_argument: chunk: there must be at least one part, got 0");
}

TEST_CASE("narrow, squeeze, unsqueeze: views") {
  const Tensor x = counting({2, 1, 3});
  CHECK(values_of(narrow(x, -1, 1, 2)) == Values{1, 2, 4, 5});
  CHECK(narrow(x, 0, 2, 0).shape() == Shape{0, 1, 3});
  CHECK(squeeze(x, 1).shape() == Shape{2, 3});
  CHECK(unsqueeze(x, 0).shape() == Shape{1, 2, 1, 3});
  CHECK(unsqueeze(x, -1).shape() == Shape{2, 1, 3, 1});
  CHECK(unsqueeze(counting({}), 0).shape() == Shape{1});
  CHECK(squeeze(x, 1).native_handle() == x.native_handle());
  CHECK(error_of([&] { return narrow(x, 0, 1, 2); }) ==
        "out_of_range: slice: [1, 3) is outside axis 0 of f32[2,1,3]");
  CHECK(error_of([&] { return narrow(x, 0, 1, -1); }) ==
        "invalid_argument: narrow: the length can't be negative, got -1");
  CHECK(error_of([&] { return squeeze(x, 0); }) ==
        "invalid_argument: squeeze: the axis must have size 1, axis 0 of f32[2,1,3] hasn't");
  CHECK(error_of([&] { return unsqueeze(x, 4); }) ==
        "out_of_range: unsqueeze: a new axis 4 is outside [-4, 4) of f32[2,1,3]");
}

TEST_CASE("pad: a value around the elements") {
  const Tensor x = counting({1, 2});
  CHECK(values_of(pad(x, {{1, 0}, {0, 1}}, 7)) == Values{7, 7, 7, 0, 1, 7});
  CHECK(values_of(pad(x, {{0, 0}, {0, 0}})) == values_of(x));
  CHECK(pad(counting({0, 2}), {{1, 1}, {0, 0}}).shape() == Shape{2, 2});
  CHECK(values_of(pad(counting({1}, Device::host()), {{1, 1}}, 3)) == Values{3, 0, 3});
  CHECK(pad(cast(x, DType::i64), {{0, 0}, {1, 0}}, -2).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{-2, 0, 1});
  CHECK(error_of([&] {
          return pad(x, {{1, 1}});
        }) == "invalid_argument: pad: expects a padding for each axis, got 1 for f32[1,2]");
  CHECK(error_of([&] {
          return pad(x, {{0, 0}, {-1, 0}});
        }) ==
        "invalid_argument: pad: a padding can't be negative, got -1 and 0 for axis 1; slice() "
        "instead");
  CHECK(error_of([&] {
          return pad(cast(x, DType::i32), {{0, 0}, {0, 0}}, 0.5);
        }) == "invalid_argument: pad: i32[1,2] takes a whole number, got 0.5; cast() it first");
}

TEST_CASE("flip: along the given axes") {
  const Tensor x = counting({2, 3});
  CHECK(values_of(flip(x, {0})) == Values{3, 4, 5, 0, 1, 2});
  CHECK(values_of(flip(x, {-1, 0})) == Values{5, 4, 3, 2, 1, 0});
  CHECK(values_of(flip(x, {})) == values_of(x));
  CHECK(error_of([&] { return flip(x, {2}); }) ==
        "out_of_range: flip: axis 2 is outside [-2, 2) of shape [2,3]");
}
