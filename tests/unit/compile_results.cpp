// compile: what a step returns: one tensor, several, none, views, and tensors of others.
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("compile: results of earlier calls stay as they were") {
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const DeviceGuard on_device(device);
    auto step = compile([](const Tensor& x) { return relu(x) * 2.0; });
    std::vector<Tensor> kept;
    for (int i = 0; i < 6; ++i) kept.push_back(step(full({2}, i)));
    for (int i = 0; i < 6; ++i) {
      CHECK(values_of(kept[static_cast<std::size_t>(i)]) ==
            std::vector<float>(2, 2.0f * static_cast<float>(i)));
    }
    CHECK(step.replayed_calls() == 4);
  }
}

TEST_CASE("compile: several results, of which some are views of one memory") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) {
    const Tensor y = x + 1.0;
    return std::vector<Tensor>{y, y.slice(0, 1, 3), y.reshape({2, 2}).transpose(0, 1), sum(y)};
  });
  for (int i = 0; i < 4; ++i) {
    std::vector<Tensor> results = step(counting({4}) + static_cast<double>(i));
    const auto n = static_cast<float>(i);
    REQUIRE(results.size() == 4);
    CHECK(values_of(results[0]) == std::vector<float>{n + 1, n + 2, n + 3, n + 4});
    CHECK(values_of(results[1]) == std::vector<float>{n + 2, n + 3});
    CHECK(values_of(results[2]) == std::vector<float>{n + 1, n + 3, n + 2, n + 4});
    CHECK(results[3].item() == 4 * n + 10);
    results[0].fill(0);  // one memory, as without compile()
    CHECK(values_of(results[1]) == std::vector<float>{0, 0});
  }
  CHECK(step.replayed_calls() == 2);
}

TEST_CASE("compile: a result may be an argument, or a view of one") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) {
    return std::vector<Tensor>{x, x.slice(0, 2, 4), x * 2.0};
  });
  const Tensor all = counting({8});
  for (int i = 0; i < 4; ++i) {
    const Tensor x = all.slice(0, i, i + 4);
    const std::vector<Tensor> results = step(x);
    CHECK(values_of(results[0]) == values_of(x));
    CHECK(values_of(results[1]) == values_of(x.slice(0, 2, 4)));
    CHECK(values_of(results[2]) == values_of(x * 2.0));
    CHECK(results[0].native_handle() == x.native_handle());
  }
  CHECK(step.replayed_calls() == 2);
}

TEST_CASE("compile: a result may be a parameter, and is the parameter then") {
  const DeviceGuard on_device(reference());
  Tensor w = zeros({2}, {.requires_grad = true});
  auto step = compile([&](const Tensor& x) {
    const NoGradGuard no_graph;
    w.copy_from(w + x);
    return w;
  });
  std::vector<Tensor> results;
  for (int i = 0; i < 4; ++i) results.push_back(step(ones({2})));
  CHECK(step.replayed_calls() == 2);
  for (const Tensor& result : results) CHECK(values_of(result) == std::vector<float>{4, 4});
}

// Somebody else holds the memory, so that each repetition writes there; a result is one call's.
TEST_CASE("compile: a result that the step also keeps elsewhere is a copy") {
  const DeviceGuard on_device(reference());
  Tensor w = ones({2}, {.requires_grad = true});
  Tensor last;
  auto step = compile([&](const Tensor& x) {
    w.set_grad({});
    last = w * x;
    sum(last).backward();
    last = last.detach();
    return std::vector<Tensor>{last, w.grad()};
  });
  std::vector<std::vector<Tensor>> results;
  for (int i = 0; i < 5; ++i) results.push_back(step(full({2}, i)));
  CHECK(step.replayed_calls() == 3);
  for (int i = 0; i < 5; ++i) {
    const std::vector<float> expected(2, static_cast<float>(i));
    CHECK(values_of(results[static_cast<std::size_t>(i)][0]) == expected);
    CHECK(values_of(results[static_cast<std::size_t>(i)][1]) == expected);
  }
  CHECK(values_of(last) == std::vector<float>{4, 4});
  CHECK(values_of(w.grad()) == std::vector<float>{4, 4});
}

TEST_CASE("compile: the same result twice, and none of the graph's") {
  const DeviceGuard on_device(reference());
  Tensor w = ones({2}, {.requires_grad = true});
  auto step = compile([&](const Tensor& x) {
    const Tensor y = w * x;
    return std::vector<Tensor>{y, y};
  });
  for (int i = 0; i < 3; ++i) {
    const std::vector<Tensor> results = step(full({2}, i));
    CHECK(values_of(results[0]) == values_of(results[1]));
    CHECK(results[0].native_handle() == results[1].native_handle());
    CHECK(!results[0].requires_grad());
    CHECK(error_of([&] {
            return sum(results[0]).backward(), 0;
          }).starts_with("invalid_argument: backward: f32[] depends on no tensor"));
  }
}

TEST_CASE("compile: a step without arguments, and one without results") {
  const DeviceGuard on_device(reference());
  Tensor count = zeros({1});
  auto up = compile([&] { count.copy_from(count + 1.0); });
  auto now = compile([&] { return count * 2.0; });
  for (int i = 1; i <= 4; ++i) {
    up();
    CHECK(now().item() == 2.0f * static_cast<float>(i));
  }
  CHECK(up.replayed_calls() == 2);
  CHECK(now.replayed_calls() == 2);
}
