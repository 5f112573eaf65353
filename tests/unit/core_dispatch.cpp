// The one road: operands on two devices, the plan cache, blocking launches.
#include <doctest/doctest.h>

#include <array>
#include <thread>

#include "backplane/operation.hpp"
#include "backplane/plan.hpp"
#include "backplane/stream.hpp"
#include "core_support.hpp"
#include "dispatch/dispatch.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("dispatch: operands on two devices, or on the host") {
  const Tensor here = counting({2});
  CHECK(error_of([&] { return add(here, counting({2}, Device::host())); }) ==
        "invalid_argument: add: operands are on reference:0 and host; move one with to(device)");
  const Tensor host = counting({2}, Device::host());
  CHECK(error_of([&] { return relu(host); }) ==
        "invalid_argument: relu: the host holds tensors but computes nothing; move them with "
        "to(device)");
  for (const Device other : devices()) {
    if (other == reference()) continue;
    CHECK(error_of([&] { return mul(here, counting({2}, other)); }) ==
          "invalid_argument: mul: operands are on reference:0 and " + other.name() +
              "; move one with to(device)");
  }
  CHECK(error_of([] {
          const std::initializer_list<Tensor> none;
          return detail::run(Operation(op::Fill{}, {1}), none, detail::Output{DType::f32, {2}});
        }) == "invalid_argument: fill: there is no tensor that says on which device");
}

TEST_CASE("plan cache: the second time is a hit, another shape, stride or setting is not") {
  const Tensor a = counting({3, 5});
  const auto misses_of = [](auto&& body) {
    const auto before = plan_cache_stats(reference());
    static_cast<void>(body());
    return plan_cache_stats(reference()).misses - before.misses;
  };
  static_cast<void>(add(a, a));
  CHECK(misses_of([&] { return add(a, a); }) == 0);
  CHECK(misses_of([&] { return add(a.slice(0, 0, 2), a.slice(0, 1, 3)); }) == 1);
  CHECK(misses_of([&] { return add(a.slice(0, 1, 3), a.slice(0, 0, 2)); }) == 0);
  CHECK(misses_of([&] { return add(a, a.slice(0, 0, 1)); }) == 1);  // a stride of 0
  {
    const NumericsGuard strict(Numerics::strict);
    CHECK(misses_of([&] { return add(a, a); }) == 1);
  }
  const std::uint32_t before = threads();
  set_threads(before + 1);
  CHECK(misses_of([&] { return add(a, a); }) == 1);
  set_threads(before);
  CHECK(misses_of([&] { return dropout(a, 0.25f); }) == 1);
  CHECK(misses_of([&] { return dropout(a, 0.25f); }) == 0);  // the draw is no key
  CHECK(misses_of([&] { return dropout(a, 0.5f); }) == 1);
  CHECK(misses_of([&] { return affine(a, 2, 0); }) <= 1);
  CHECK(misses_of([&] { return affine(a, 3, 1); }) == 0);
}

TEST_CASE("plan cache: bounded, the least recently used goes first") {
  const std::size_t before = plan_cache_stats(reference()).capacity;
  set_plan_cache_capacity(reference(), 4);
  CHECK(plan_cache_stats(reference()).size <= 4);
  const auto use = [](std::int64_t size) {
    const auto stats = plan_cache_stats(reference());
    static_cast<void>(relu(empty({size}, on_reference())));
    return plan_cache_stats(reference()).hits - stats.hits;
  };
  for (const std::int64_t size : {101, 102, 103, 104}) CHECK(use(size) == 0);
  CHECK(use(101) == 1);
  const auto stats = plan_cache_stats(reference());
  CHECK(use(105) == 0);  // takes the place of 102
  CHECK(plan_cache_stats(reference()).evictions == stats.evictions + 1);
  CHECK(plan_cache_stats(reference()).size == 4);
  CHECK(use(101) == 1);
  CHECK(use(102) == 0);
  CHECK(error_of([] { return set_plan_cache_capacity(reference(), 0), 0; }) ==
        "invalid_argument: plan cache: the capacity must be at least one plan");
  set_plan_cache_capacity(reference(), before);
}

TEST_CASE("dispatch: overwrites an output, or adds to it") {
  const Tensor x = counting({2, 2});
  const std::array y{full({1, 1}, 10, on_reference())};
  const Operation sum_of_all(op::Sum{3});
  detail::run_in_place(sum_of_all, std::array{x}, y);
  CHECK(y[0].item() == 6);
  detail::run_in_place(sum_of_all, std::array{x}, y, 1);
  CHECK(y[0].item() == 12);
  detail::run_in_place(sum_of_all, std::array{x}, y);
  CHECK(y[0].item() == 6);
}

TEST_CASE("dispatch: an eviction between enqueueing and running does no harm") {
  const std::size_t before = plan_cache_stats(reference()).capacity;
  set_plan_cache_capacity(reference(), 1);
  std::vector<Tensor> results;
  for (int i = 1; i < 20; ++i) results.push_back(relu(full({i}, i, on_reference())));
  for (int i = 1; i < 20; ++i) {
    CHECK(values_of(results[static_cast<std::size_t>(i - 1)]) ==
          std::vector<float>(static_cast<std::size_t>(i), static_cast<float>(i)));
  }
  set_plan_cache_capacity(reference(), before);
}

TEST_CASE("dispatch: from several threads, on one stream and on their own") {
  std::vector<std::thread> workers;
  std::array<float, 4> sums{};
  for (std::size_t worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&sums, worker] {
      const Stream own(reference());
      const StreamGuard guard(worker % 2 == 0 ? own : Stream::current(reference()));
      Tensor x = zeros({static_cast<std::int64_t>(worker) + 3}, on_reference());
      for (int i = 0; i < 50; ++i) x = x + 1.0;
      sums[worker] = sum(x).item();
    });
  }
  for (std::thread& worker : workers) worker.join();
  CHECK(sums == std::array<float, 4>{150, 200, 250, 300});
}

TEST_CASE("fault at its own operation" * doctest::skip()) {
  const Tensor wrong = tensor(std::vector<std::int64_t>{7}, {1}, on_reference());
  CHECK(error_of([&] {
          return cross_entropy(zeros({1, 2}, on_reference()), wrong);
        }).starts_with("out_of_range: cross_entropy: values must be in [0, 2), sample 0 has 7"));
}

TEST_CASE("dispatch: BACKPLANE_LAUNCH_BLOCKING reports a fault at its operation") {
  const Finished child = run_in_child("fault at its own operation", "BACKPLANE_LAUNCH_BLOCKING=1");
  CHECK_MESSAGE(child.status == 0, child.output);
}

TEST_CASE("operation: knows what it was made from") {
  const Operation relu(op::Relu{}), dropout(op::Dropout{0.25f}, {1, 2, 3, 4, 5});
  CHECK(relu.name() == "relu");
  CHECK(relu.as<op::Relu>() != nullptr);
  CHECK(relu.as<op::Dropout>() == nullptr);
  REQUIRE(dropout.as<op::Dropout>() != nullptr);
  CHECK(dropout.as<op::Dropout>()->p == 0.25f);
  CHECK(dropout.params().size() == sizeof(op::Dropout));
  CHECK(dropout.scalars().size() == sizeof(op::PhiloxScalars));
  CHECK(relu.params().empty());
}
