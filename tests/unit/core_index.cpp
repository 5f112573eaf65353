// Functions that pick elements, or put them, by their positions.
#include <doctest/doctest.h>

#include <cmath>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Values = std::vector<float>;
using Positions = std::vector<std::int64_t>;

Tensor at(const Positions& values, const Shape& shape) {
  return tensor(values, shape, on_reference());
}

}  // namespace

TEST_CASE("gather: elements by position") {
  const Tensor x = counting({2, 3});
  const Tensor index = at({2, 2, 0, 1}, {2, 2});
  CHECK(values_of(gather(x, 1, index)) == Values{2, 2, 3, 4});
  CHECK(values_of(gather(x, 0, at({1, 0, 1}, {1, 3}))) == Values{3, 1, 5});
  CHECK(gather(x, 0, at({}, {0, 3})).shape() == Shape{0, 3});
  CHECK(error_of([&] { return gather(x, 2, index); }) ==
        "out_of_range: gather: axis 2 is outside [-2, 2) of shape [2,3]");
  CHECK(error_of([&] { return gather(x, 1, x); }) ==
        "invalid_argument: gather: indices must be i64, got f32[2,3]; cast() them");
  CHECK(error_of([&] { return gather(x, 0, index); }) ==
        "invalid_argument: gather: index must have the shape of x but for axis 0, got i64[2,2] for "
        "f32[2,3]");
}

TEST_CASE("scatter_add: equal positions add up") {
  const Tensor x = counting({2, 3}), index = at({2, 2, 0, 1}, {2, 2});
  CHECK(values_of(scatter_add(x, 1, index, counting({2, 2}))) == Values{0, 1, 3, 5, 7, 5});
  CHECK(values_of(x) == Values{0, 1, 2, 3, 4, 5});
  CHECK(error_of([&] { return scatter_add(x, 1, index, x); }) ==
        "invalid_argument: scatter_add: source and index must have one shape, got f32[2,3] and "
        "i64[2,2]");
  CHECK(error_of([&] { return scatter_add(x, 1, index, index); }) ==
        "invalid_argument: scatter_add: operands must have one type, got f32[2,3] and i64[2,2]; "
        "cast() one of them");
}

TEST_CASE("embedding: rows, and no gradient for the padding") {
  Tensor weight = counting({3, 2}).set_requires_grad();
  const Tensor indices = at({2, 0, 2, 1}, {2, 2});
  const Tensor y = embedding(weight, indices, {.padding_index = 0});
  CHECK(y.shape() == Shape{2, 2, 2});
  CHECK(values_of(y.detach()) == Values{4, 5, 0, 1, 4, 5, 2, 3});
  sum(y).backward();
  CHECK(values_of(weight.grad()) == Values{0, 0, 1, 1, 2, 2});
  CHECK(embedding(weight, at({1}, {})).shape() == Shape{2});
  CHECK(embedding(weight, at({}, {0, 4})).shape() == Shape{0, 4, 2});
  CHECK(error_of([&] { return embedding(weight, weight); }) ==
        "invalid_argument: embedding: indices must be i64, got f32[3,2]; cast() them");
  CHECK(error_of([&] { return embedding(counting({3}), indices); }) ==
        "invalid_argument: embedding: weight expects 2 axes, got f32[3]");
  CHECK(error_of([&] { return embedding(weight, indices, {.padding_index = 3}); }) ==
        "invalid_argument: embedding: the padding index must be one of 3 rows, got 3");
}

TEST_CASE("embedding: an index out of range is found at the next wait") {
  const Tensor weight = counting({3, 2});
  CHECK(error_of([&] {
          return embedding(weight, at({0, 1, 7, -1}, {2, 2})).to_vector<float>();
        }).starts_with("out_of_range: gather: values must be in [0, 3), sample 2 has 7"));
  CHECK(values_of(embedding(weight, at({1}, {1}))) == Values{2, 3});
}

TEST_CASE("one_hot: a 1 for each label") {
  CHECK(values_of(one_hot(at({2, 0}, {2}), 3)) == Values{0, 0, 1, 1, 0, 0});
  CHECK(one_hot(at({2, 0}, {1, 2}), 3).shape() == Shape{1, 2, 3});
  CHECK(one_hot(at({1}, {}), 2, DType::i64).to_vector<std::int64_t>() == Positions{0, 1});
  CHECK(error_of([] { return one_hot(at({1}, {1}), 0); }) ==
        "invalid_argument: one_hot: there must be at least one class, got 0");
  CHECK(error_of([] { return one_hot(counting({2}), 2); }) ==
        "invalid_argument: one_hot: labels must be i64, got f32[2]; cast() them");
}

TEST_CASE("top_k: values and positions in order") {
  const Tensor x = tensor({3, 1, 3, NAN, -2}, on_reference());
  const auto [values, positions] = top_k(x, 3);
  CHECK(positions.to_vector<std::int64_t>() == Positions{3, 0, 2});
  CHECK(values_of(narrow(values, 0, 1, 2)) == Values{3, 3});
  const auto smallest = top_k(x, 2, {.largest = false});
  CHECK(values_of(smallest.first) == Values{-2, 1});
  CHECK(top_k(counting({4, 3}), 4, {.axis = 0}).second.shape() == Shape{4, 3});
  CHECK(error_of([&] { return top_k(x, 6); }) ==
        "invalid_argument: top_k: k must be in [0, 5] for axis 0 of f32[5], got 6");
  CHECK(error_of([&] { return top_k(x, 1, {.axis = 1}); }) ==
        "out_of_range: top_k: axis 1 is outside [-1, 1) of shape [5]");
}

TEST_CASE("attention: what is shut out, and what it refuses") {
  const Tensor q = counting({1, 2, 2}), v = counting({1, 2, 3});
  const Tensor causal = scaled_dot_product_attention(q, q, v, {.causal = true});
  CHECK(causal.shape() == Shape{1, 2, 3});
  CHECK(values_of(causal.slice(1, 0, 1)) == Values{0, 1, 2});  // the first sees itself alone
  // With more keys than queries, and the other way round.
  const Tensor long_key = counting({1, 4, 2}), long_value = counting({1, 4, 3});
  CHECK(values_of(scaled_dot_product_attention(q, long_key, long_value, {.causal = true})
                      .slice(1, 0, 1)) == Values{0, 1, 2});
  CHECK(values_of(scaled_dot_product_attention(long_key, q, v, {.causal = true}).slice(1, 0, 1)) ==
        Values{0, 1, 2});
  const float shut = -INFINITY;
  const Tensor mask = tensor({shut, 0, shut, 0}, on_reference()).reshape({2, 2});
  CHECK(values_of(scaled_dot_product_attention(q, q, v, {.mask = mask})) ==
        Values{3, 4, 5, 3, 4, 5});
  const Tensor mean = scaled_dot_product_attention(q, q, v, {.scale = 0});
  CHECK(values_of(mean) == Values{1.5f, 2.5f, 3.5f, 1.5f, 2.5f, 3.5f});
  CHECK(error_of([&] { return scaled_dot_product_attention(q, v, v); }) ==
        "invalid_argument: scaled_dot_product_attention: expects query[...,L,E], key[...,S,E] and "
        "value[...,S,V], got f32[1,2,2], f32[1,2,3] and f32[1,2,3]");
  CHECK(error_of([&] { return scaled_dot_product_attention(counting({2}), q, v); }) ==
        "invalid_argument: scaled_dot_product_attention: query, key and value expect 2 axes or "
        "more, got f32[2], f32[1,2,2] and f32[1,2,3]");
  CHECK(error_of([&] { return scaled_dot_product_attention(q, q, v, {.dropout = 1}); }) ==
        "invalid_argument: dropout: p must be in [0, 1), got 1");
}
