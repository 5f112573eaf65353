// Descriptions that break a rule: the plug-in refuses each in words, whatever the core lets
// through.
#include <doctest/doctest.h>

#include <array>

#include "backplane/backplane.hpp"
#include "backplane/plan.hpp"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Specs = std::vector<TensorSpec>;

void refuses(const Operation& operation, const Specs& inputs, const Specs& outputs,
             const char* text) {
  CHECK_THROWS_WITH_AS(Plan(device("cuda:0"), operation, inputs, outputs), doctest::Contains(text),
                       Error);
}

TensorSpec f32(const Shape& shape) {
  return {.dtype = DType::f32, .shape = shape};
}
TensorSpec of(DType dtype, const Shape& shape) {
  return {.dtype = dtype, .shape = shape};
}

}  // namespace

TEST_CASE("refusals: counts and types") {
  const Operation add(op::Add{});
  refuses(add, {f32({2})}, {f32({2})}, "add: takes 2 inputs, 1 given");
  refuses(add, {f32({2}), f32({2})}, {}, "add: takes 1 outputs, 0 given");
  refuses(add, {f32({2}), of(DType::i32, {2})}, {f32({2})}, "add: takes tensors of one type, got");
  refuses(add, {f32({2}), f32({3})}, {f32({2})}, "must have the dims of f32[2], is f32[3]");
  refuses(Operation(op::Matmul{}), {of(DType::f64, {2, 2}), of(DType::f64, {2, 2})},
          {of(DType::f64, {2, 2})}, "matmul: a must be f32 or f16 or bf16, is f64");
  refuses(Operation(op::Matmul{}), {of(DType::bf16, {2, 2}), f32({2, 2})}, {f32({2, 2})},
          "matmul: both operands must have one type, are bf16[2,2] and f32[2,2]");
}

TEST_CASE("refusals: ranks, axes and windows") {
  refuses(Operation(op::Matmul{}), {f32({2, 3, 4}), f32({4, 5})}, {f32({2, 3, 5})},
          "matmul: b must have rank 3, is f32[4,5]");
  refuses(Operation(op::Matmul{}), {f32({3}), f32({3, 4})}, {f32({4})},
          "matmul: a must have rank 2 or more, is f32[3]");
  refuses(Operation(op::Softmax{2}), {f32({2, 3})}, {f32({2, 3})}, "axis 2 is not one of rank 2");
  refuses(Operation(op::Softmax{-1}), {f32({2, 3})}, {f32({2, 3})}, "axis -1 is not one of rank 2");
  refuses(Operation(op::Sum{4}), {f32({2, 3})}, {f32({2, 3})}, "an axis is past the last one");
  refuses(Operation(op::ArgMax{1}), {f32({2, 0})}, {of(DType::i64, {2, 1})},
          "there is no element to choose along the axis");
  refuses(Operation(op::Dropout2d{0.5f}, op::PhiloxScalars{}), {f32({3})}, {f32({3})},
          "x must have samples and channels, is f32[3]");

  op::Conv2d conv{};
  std::fill_n(conv.stride, 2, 1);
  std::fill_n(conv.dilation, 2, 1);
  const Specs operands{f32({1, 4, 5, 5}), f32({4, 2, 3, 3})};
  refuses(Operation(conv), operands, {f32({1, 4, 3, 3})}, "groups must be at least 1");
  conv.groups = 3;
  refuses(Operation(conv), operands, {f32({1, 4, 3, 3})}, "don't divide into 3 groups");
  conv.groups = 2;
  refuses(Operation(conv), operands, {f32({1, 4, 4, 4})}, "y must have the dims of f32[1,4,3,3]");

  op::MaxPool2d pool{};
  refuses(Operation(pool), {f32({1, 1, 4, 4})}, {f32({1, 1, 2, 2})},
          "kernel, stride and dilation must be at least 1");
}

TEST_CASE("refusals: an optimizer's outputs are its inputs") {
  const op::SgdStep step{.count = 1, .momentum = 0, .nesterov = 0};
  TensorSpec strided = f32({2, 2});
  strided.strides = Strides(std::array<std::int64_t, 2>{1, 2});
  refuses(Operation(step, op::SgdStep::Scalars{}), {f32({2, 2}), f32({2, 2})}, {strided},
          "an output must be the memory of its input");
}
