// compile: arguments of any offset and stride, changed by the step, and memory known by two names.
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("compile: arguments are parts of a larger tensor, wherever they start") {
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const DeviceGuard on_device(device);
    const Tensor all = counting({6, 4}, device);
    auto step = compile([](const Tensor& x) { return relu(x) + x; });
    for (int i = 0; i < 6; ++i) {
      const Tensor row = all.slice(0, i, i + 1);
      CHECK(values_of(step(row)) == values_of(row * 2.0));
    }
    CHECK(step.recorded_calls() == 2);
    const Tensor column = all.slice(1, 1, 2).transpose(0, 1);  // other strides: another recording
    for (int i = 0; i < 3; ++i) CHECK(values_of(step(column)) == values_of(column * 2.0));
    CHECK(step.recorded_calls() == 4);
    const Tensor wide = all.slice(1, 0, 4, 2);
    for (int i = 0; i < 3; ++i) CHECK(values_of(step(wide)) == values_of(wide * 2.0));
  }
}

TEST_CASE("compile: an argument that the step writes") {
  const DeviceGuard on_device(reference());
  auto step = compile([](Tensor x, const Tensor& y) { x.copy_from(x + y); });
  const Tensor y = ones({2});
  for (int i = 0; i < 4; ++i) {
    const Tensor x = full({2}, i), w = ones({2}, {.requires_grad = true});
    const Tensor before = w * x;
    step(x, y);
    CHECK(values_of(x) == std::vector<float>(2, static_cast<float>(i) + 1));
    CHECK(error_of([&] { return sum(before).backward(), 0; }).find("changed in place") !=
          std::string::npos);
  }
  CHECK(step.replayed_calls() == 2);
}

// In the first two calls `w` is seen as the argument, which is the same memory.
TEST_CASE("compile: an argument that was a tensor of the step's own") {
  const DeviceGuard on_device(reference());
  const Tensor w = full({2}, 3);
  auto step = compile([&](const Tensor& x) { return x * w; });
  const Tensor other = full({2}, 5);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) CHECK(values_of(step(w)) == std::vector<float>{9, 9});
    for (int i = 0; i < 3; ++i) CHECK(values_of(step(other)) == std::vector<float>{15, 15});
  }
  CHECK(step.replayed_calls() > 10);
}

TEST_CASE("compile: the result of one call is an argument of the next") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return x + 1.0; });
  Tensor x = zeros({2});
  for (int i = 0; i < 6; ++i) x = step(x);
  CHECK(values_of(x) == std::vector<float>{6, 6});
  CHECK(step.replayed_calls() == 4);
}

TEST_CASE("compile: an argument that the step doesn't use") {
  auto step = compile([](const Tensor& x, const Tensor&) { return x + 1.0; });
  for (const Device other : devices()) {
    for (int i = 0; i < 4; ++i) {
      const Tensor unused = zeros({3}, {.device = other});
      CHECK(values_of(step(of({2}), unused)) == std::vector<float>{1, 1});
    }
  }
}

TEST_CASE("compile: arguments may require gradients where nothing is recorded for backward") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return x + 1.0; });
  const Tensor w = ones({2}, {.requires_grad = true});
  const NoGradGuard no_graph;
  for (int i = 0; i < 3; ++i) CHECK(values_of(step(w)) == std::vector<float>{2, 2});
}
