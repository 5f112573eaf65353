// Plan: one operation that a program holds, and what it refuses.
#include "backplane/plan.hpp"

#include <doctest/doctest.h>

#include <array>
#include <thread>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

const TensorSpec row{DType::f32, {4}};
const TensorSpec any_layout{DType::f32, {4}, {}, 1};

Plan add_plan() {
  return Plan(reference(), Operation(op::Add{}), std::array{row, row}, std::array{any_layout});
}

}  // namespace

TEST_CASE("plan: made once, run often, from several threads") {
  const Plan plan = add_plan();
  REQUIRE(plan.outputs().size() == 1);
  CHECK(plan.inputs().size() == 2);
  CHECK(plan.outputs()[0].strides == Strides{1});
  CHECK(plan.outputs()[0].layout == 0);
  CHECK(plan.implementation() == "plain loops");
  CHECK(plan.workspace_bytes() == 0);
  const Tensor x = counting({4});
  reference().synchronize();
  std::array<std::vector<float>, 2> results;
  const auto work = [&](std::size_t i) {
    const Stream stream(reference());
    const StreamGuard guard(stream);
    const Tensor y = empty(plan.outputs()[0], reference());
    for (int round = 0; round < 20; ++round) {
      plan.run(Operation(op::Add{}), std::array{x, x}, std::array{y});
    }
    results[i] = values_of(y);
  };
  std::thread other(work, 0);
  work(1);
  other.join();
  CHECK(results[0] == std::vector<float>{0, 2, 4, 6});
  CHECK(results[1] == results[0]);
}

TEST_CASE("plan: kept inputs are prepared once") {
  const Operation add(op::Add{});
  const Plan plan(reference(), add, std::array{row, row}, std::array{row}, {.prepares = 2});
  const Tensor x = counting({4}), kept = counting({4}), y = empty(row, reference());
  const Tensor prepared = plan.prepare(std::array{x, kept});
  const Tensor unread = zeros({4}, {.device = reference()});
  plan.run(add, std::array{x, unread}, std::array{y}, prepared);
  CHECK(values_of(y) == std::vector<float>{0, 2, 4, 6});
  CHECK(error_of([&] {
          return plan.run(add, std::array{x, kept}, std::array{y}), 0;
        }) ==
        "invalid_argument: add: the plan was made for inputs that are kept, so each run takes the "
        "64 bytes that prepare() gave; pass them");
  CHECK_FALSE(add_plan().prepare(std::array{x, kept}).defined());
}

TEST_CASE("plan: brings scalars at each run") {
  const Plan plan(reference(), Operation(op::Affine{}, {0, 0}), std::array{row}, std::array{row});
  const Tensor x = counting({4}), y = empty(row, reference());
  plan.run(Operation(op::Affine{}, {2, 1}), std::array{x}, std::array{y});
  CHECK(values_of(y) == std::vector<float>{1, 3, 5, 7});
  plan.run(Operation(op::Affine{}, {0, 5}), std::array{x}, std::array{y});
  CHECK(values_of(y) == std::vector<float>{5, 5, 5, 5});
  CHECK(error_of([&] {
          return plan.run(Operation(op::Affine{}), std::array{x}, std::array{y}), 0;
        }).starts_with("invalid_argument: reference:0: affine failed: "));
}

TEST_CASE("plan: adds to an output where the row allows it") {
  const TensorSpec matrix{DType::f32, {2, 2}}, total{DType::f32, {1, 1}};
  const Plan plan(reference(), Operation(op::Sum{3}), std::array{matrix}, std::array{total},
                  {.adds_to = 1});
  const Tensor y = full({1, 1}, 10, on_reference());
  plan.run(Operation(op::Sum{3}), std::array{counting({2, 2})}, std::array{y});
  CHECK(y.item() == 16);
  CHECK(error_of([] {
          return Plan(reference(), Operation(op::Add{}), std::array{row, row}, std::array{row},
                      {.adds_to = 1});
        }) ==
        "invalid_argument: reference:0 cannot run add: add: an output that can't be added to "
        "is to be added to");
}

TEST_CASE("plan: a change in place is seen by autograd") {
  Tensor weight = counting({4}).set_requires_grad();
  const Tensor y = weight * weight;
  const Plan plan(reference(), Operation(op::Fill{}, {0}), {}, std::array{row});
  plan.run(Operation(op::Fill{}, {1}), {}, std::array{weight});
  CHECK(error_of([&] { return sum(y).backward(), 0; })
            .starts_with("invalid_argument: mul: a tensor that backward needs (f32[4]) was changed "
                         "in place 1 times since forward"));
}

TEST_CASE("plan: refuses what it can't be made for") {
  const auto make = [](const TensorSpec& in, const TensorSpec& out, Device device = reference()) {
    return Plan(device, Operation(op::Relu{}), std::array{in}, std::array{out});
  };
  CHECK(error_of([&] { return make(row, row, Device::host()); }) ==
        "invalid_argument: plan: the host computes nothing; choose a device");
  CHECK(
      error_of([&] {
        return make({DType::f32, {-1}}, row);
      }) ==
      "invalid_argument: spec: sizes and strides can't be negative, got shape [-1] and strides []");
  CHECK(error_of([&] {
          return make({DType::f32, {2}, {-1}}, row);
        }) ==
        "invalid_argument: spec: sizes and strides can't be negative, got shape [2] and strides "
        "[-1]");
  CHECK(error_of([&] {
          return make({DType::f32, {2, 2}, {1}}, row);
        }) ==
        "invalid_argument: spec: expects one stride for each axis or none, got shape [2,2] and "
        "strides [1]");
  CHECK(error_of([&] {
          return make({DType::i32, {4}}, row);
        }).starts_with("unsupported: reference:0 cannot run relu: relu: "));
  CHECK(error_of([&] {
          return make(row, {DType::f32, {5}});
        }).starts_with("invalid_argument: reference:0 cannot run relu: relu: "));
  CHECK(
      error_of([&] {
        return Plan(reference(), Operation(op::Relu{}), {}, std::array{row});
      }).starts_with("invalid_argument: reference:0 cannot run relu: relu: takes 1 inputs, got 0"));
}

TEST_CASE("plan: refuses tensors that don't match") {
  const Plan plan = add_plan();
  const Tensor x = counting({4}), y = empty({4}, on_reference());
  const Operation add(op::Add{});
  CHECK(error_of([&] { return plan.run(add, std::array{x}, std::array{y}), 0; }) ==
        "invalid_argument: add: the plan takes 2 inputs, 1 given");
  CHECK(error_of([&] {
          return plan.run(add, std::array{x, x}, {}), 0;
        }) == "invalid_argument: add: the plan takes 1 outputs, 0 given");
  CHECK(error_of([&] {
          return plan.run(add, std::array{x, counting({5})}, std::array{y}), 0;
        }) ==
        "invalid_argument: add: input 1 must be f32[4] with strides [1] on reference:0, is f32[5] "
        "with strides [1] on reference:0");
  const Tensor stepped = counting({8}).slice(0, 0, 8, 2);
  CHECK(error_of([&] {
          return plan.run(add, std::array{stepped, x}, std::array{y}), 0;
        }) ==
        "invalid_argument: add: input 0 must be f32[4] with strides [1] on reference:0, is f32[4] "
        "with strides [2] on reference:0");
  CHECK(error_of([&] {
          return plan.run(add, std::array{x, x}, std::array{y.cpu()}), 0;
        }) ==
        "invalid_argument: add: output 0 must be f32[4] with strides [1] on reference:0, is f32[4] "
        "with strides [1] on host");
  CHECK(error_of([&] {
          return plan.run(add, std::array{x, Tensor()}, std::array{y}), 0;
        }) == "invalid_argument: add: the tensor is undefined; give it a value first");
}

TEST_CASE("plan: refuses another operation, or other parameters") {
  const Plan plan = add_plan();
  const Tensor x = counting({4}), y = empty({4}, on_reference());
  CHECK(error_of([&] {
          return plan.run(Operation(op::Mul{}), std::array{x, x}, std::array{y}), 0;
        }) == "invalid_argument: mul: the plan was made for add; make a plan for each");
  const Plan drop(reference(), Operation(op::Dropout{0.5f}), std::array{row}, std::array{row});
  CHECK(error_of([&] {
          return drop.run(Operation(op::Dropout{0.25f}, {}), std::array{x}, std::array{y}), 0;
        }) ==
        "invalid_argument: dropout: the plan was made for other parameters; make a plan for each");
}

TEST_CASE("empty from a spec: strides as asked for, no open or foreign layouts") {
  const Tensor x = empty({DType::f32, {2, 3}, {1, 2}}, reference());
  CHECK(x.strides() == Strides{1, 2});
  CHECK(spec_of(x).strides == Strides{1, 2});
  CHECK(error_of([] { return empty(any_layout, reference()); }) ==
        "invalid_argument: empty: the layout 'any' is a plan's to choose; take the spec from its "
        "outputs()");
  CHECK(error_of([] {
          return empty({DType::f32, {4}, {}, 2}, Device::host());
        }) ==
        "invalid_argument: empty: the host has strided tensors only, the spec has the private "
        "layout 2");
  CHECK(error_of([] {
          return empty({DType::f32, {4}, {}, 2}, reference());
        }) == "unsupported: reference:0: this device has no private layouts");
}
