// Views: the same elements under another shape, for every pattern of strides.
#include <doctest/doctest.h>

#include <random>

#include "core_support.hpp"
#include "tensor/tensor_impl.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

// A random tensor of random strides: permuted, sliced, stepped, expanded.
Tensor any_tensor(std::mt19937& random) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  Shape shape;
  const std::int64_t rank = below(5);
  for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(below(4) + 1);
  Tensor x = counting(shape, Device::host());
  for (std::int64_t step = below(4); step > 0 && rank > 0; --step) {
    const std::int64_t axis = below(rank), size = x.size(axis);
    switch (below(4)) {
      case 0:
        x = x.transpose(axis, below(rank));
        break;
      case 1:
        x = x.slice(axis, below(size), size);
        break;
      case 2:
        x = x.slice(axis, 0, size, 2);
        break;
      case 3: {
        Shape wider = x.slice(axis, 0, 1).shape();
        wider[static_cast<std::size_t>(axis)] = below(3) + 1;
        x = x.slice(axis, 0, 1).expand(wider);
      }
    }
  }
  return x;
}

// A random shape of as many elements.
Shape any_shape(std::mt19937& random, std::int64_t count) {
  Shape shape;
  while (count > 1 && shape.rank() < 5) {
    std::int64_t size = static_cast<std::int64_t>(random() % 4) + 1;
    while (count % size != 0) --size;
    if (size == 1 && random() % 2 == 0) size = count;
    shape.push_back(size);
    count /= size;
  }
  if (count > 1) shape.push_back(count);
  while (shape.rank() < 7 && random() % 3 == 0) shape.push_back(1);
  return shape;
}

}  // namespace

TEST_CASE("reshape: keeps the order of elements under any strides") {
  std::mt19937 random(1);
  int shared = 0;
  for (int round = 0; round < 3000; ++round) {
    const Tensor x = any_tensor(random);
    const Shape wanted = any_shape(random, x.count());
    const Tensor y = x.reshape(wanted);
    CHECK(y.shape() == wanted);
    CHECK(values_of(y) == values_of(x));
    shared += y.impl()->storage == x.impl()->storage ? 1 : 0;
  }
  CHECK(shared > 1500);  // most patterns need no copy
}

TEST_CASE("reshape: a view where it can be, a copy where it must") {
  const Tensor x = counting({2, 3, 4});
  CHECK(x.reshape({6, 4}).storage_offset() == x.storage_offset());
  CHECK(x.transpose(0, 1).reshape({3, 2, 2, 2}).storage_offset() == x.storage_offset());
  CHECK(x.transpose(0, 1).reshape({24}).storage_offset() != x.storage_offset());
  CHECK(x.reshape({-1, 8}).shape() == Shape{3, 8});
  CHECK(x.reshape({24, 1, 1, 1, 1, 1, 1, 1}).rank() == 8);
  CHECK(zeros({0, 3}, on_reference()).reshape({3, 0, 2}).shape() == Shape{3, 0, 2});
  CHECK(zeros({0, 3}, on_reference()).reshape({-1, 5}).shape() == Shape{0, 5});
  CHECK(full({}, 2, on_reference()).reshape({1, 1}).item() == 2);
  CHECK(counting({1}).reshape({}).rank() == 0);
}

TEST_CASE("reshape: refuses what doesn't fit") {
  const Tensor x = counting({2, 3});
  CHECK(error_of([&] {
          return x.reshape({4, 2});
        }) == "invalid_argument: reshape: f32[2,3] has 6 elements, shape [4,2] doesn't");
  CHECK(error_of([&] {
          return x.reshape({-1, 4});
        }) == "invalid_argument: reshape: f32[2,3] has 6 elements, shape [-1,4] doesn't");
  CHECK(error_of([&] {
          return x.reshape({-1, -1});
        }) ==
        "invalid_argument: reshape: sizes can't be negative and only one can be -1, shape [-1,-1]");
  CHECK(error_of([&] {
          return x.reshape({-2, 3});
        }) ==
        "invalid_argument: reshape: sizes can't be negative and only one can be -1, shape [-2,3]");
  CHECK(error_of([&] {
          return x.reshape({std::int64_t{1} << 62, 4, -1});
        }).starts_with("invalid_argument: reshape: f32[2,3] has 6 elements"));
}

TEST_CASE("flatten: some axes or all") {
  const Tensor x = counting({2, 3, 4});
  CHECK(x.flatten().shape() == Shape{24});
  CHECK(x.flatten(1).shape() == Shape{2, 12});
  CHECK(x.flatten(0, -2).shape() == Shape{6, 4});
  CHECK(full({}, 1, on_reference()).flatten().shape() == Shape{1});
  CHECK(error_of([&] { return x.flatten(2, 1); }) ==
        "invalid_argument: flatten: the first axis 2 comes after the last 1");
  CHECK(error_of([&] { return x.flatten(3); }) ==
        "out_of_range: flatten: axis 3 is outside [-3, 3) of shape [2,3,4]");
}

TEST_CASE("permute and transpose") {
  const Tensor x = counting({2, 3, 4});
  const Tensor y = x.permute({2, 0, -2});
  CHECK(y.shape() == Shape{4, 2, 3});
  CHECK(y.strides() == Strides{1, 12, 4});
  CHECK(values_of(y.slice(0, 1, 2)) == std::vector<float>{1, 5, 9, 13, 17, 21});
  CHECK(x.transpose(-1, 0).shape() == Shape{4, 3, 2});
  CHECK(error_of([&] {
          return x.permute({0, 1});
        }) == "invalid_argument: permute: 2 axes given for f32[2,3,4]");
  CHECK(error_of([&] {
          return x.permute({0, 1, -2});
        }) == "invalid_argument: permute: axis -2 is given twice");
  CHECK(error_of([&] { return x.transpose(0, 3); }) ==
        "out_of_range: transpose: axis 3 is outside [-3, 3) of shape [2,3,4]");
}

TEST_CASE("slice: begin, end, step") {
  const Tensor x = counting({4, 3});
  CHECK(values_of(x.slice(0, 1, 4, 2)) == std::vector<float>{3, 4, 5, 9, 10, 11});
  CHECK(values_of(x.slice(-1, 2, 3)) == std::vector<float>{2, 5, 8, 11});
  CHECK(x.slice(0, 2, 2).count() == 0);
  CHECK(error_of([&] { return x.slice(0, 1, 5); }) ==
        "out_of_range: slice: [1, 5) is outside axis 0 of f32[4,3]");
  CHECK(error_of([&] { return x.slice(0, -1, 2); }) ==
        "out_of_range: slice: [-1, 2) is outside axis 0 of f32[4,3]");
  CHECK(error_of([&] { return x.slice(0, 3, 2); }) ==
        "out_of_range: slice: [3, 2) is outside axis 0 of f32[4,3]");
  CHECK(error_of([&] { return x.slice(0, 0, 2, 0); }) ==
        "invalid_argument: slice: the step must be at least 1, is 0");
}

TEST_CASE("expand: sizes of 1 repeat") {
  const Tensor row = counting({1, 3});
  const Tensor y = row.expand({2, 2, 3});
  CHECK(y.strides() == Strides{0, 0, 1});
  CHECK(values_of(y) == std::vector<float>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  CHECK(row.expand({0, 3}).count() == 0);
  CHECK(full({}, 5, on_reference()).expand({3}).to_vector<float>() == std::vector<float>{5, 5, 5});
  CHECK(error_of([&] { return row.expand({3}); }) ==
        "invalid_argument: expand: shape [3] has fewer axes than f32[1,3]");
  CHECK(error_of([&] {
          return row.expand({2, 4});
        }) == "invalid_argument: expand: only sizes of 1 repeat, f32[1,3] doesn't go to [2,4]");
  CHECK(error_of([&] {
          return row.expand({-1, 3});
        }) == "invalid_argument: expand: only sizes of 1 repeat, f32[1,3] doesn't go to [-1,3]");
  const Tensor endless = row.expand({std::int64_t{1} << 61, 3});
  CHECK(error_of([&] {
          return endless.clone();
        }).starts_with("invalid_argument: empty: shape [2305843009213693952,3] has more elements"));
}
