// compile: which recording a call repeats, and when another one is made.
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

struct Counts {
  std::uint64_t recorded, replayed;
  friend bool operator==(const Counts&, const Counts&) = default;
};
Counts counts(const CompiledCalls& calls) {
  return {calls.recorded_calls(), calls.replayed_calls()};
}

}  // namespace

TEST_CASE("compile: shapes and types have recordings of their own, as many as fit") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return relu(x); }, {.capacity = 2});
  const auto call = [&](std::int64_t size) { CHECK(step(of({size})).count() == size); };
  const auto call_often = [&](std::int64_t size) {
    for (int i = 0; i < 3; ++i) call(size);
  };
  call_often(1);
  call_often(2);
  CHECK(counts(step) == Counts{4, 2});
  call(1);
  CHECK(counts(step) == Counts{4, 3});
  call_often(3);  // instead of size 2, which was used longest ago
  CHECK(counts(step) == Counts{6, 4});
  call(1);
  CHECK(counts(step) == Counts{6, 5});
  call_often(2);
  CHECK(counts(step) == Counts{8, 6});
  CHECK(step(of({1}, DType::f64)).dtype() == DType::f64);
  CHECK(counts(step) == Counts{9, 6});
}

TEST_CASE("compile: numerics, threads, grad mode and the stream make a difference") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return relu(x); });
  const auto call_often = [&] {
    for (int i = 0; i < 3; ++i) static_cast<void>(step(of({2})));
  };
  call_often();
  CHECK(counts(step) == Counts{2, 1});
  {
    const NumericsGuard strict(Numerics::strict);
    call_often();
  }
  CHECK(counts(step) == Counts{4, 2});
  {
    const NoGradGuard no_graph;
    call_often();
  }
  CHECK(counts(step) == Counts{6, 3});
  const std::uint32_t before = threads();
  set_threads(before + 1);
  call_often();
  set_threads(before);
  CHECK(counts(step) == Counts{8, 4});
  {
    const StreamGuard guard{Stream(reference())};
    call_often();
  }
  CHECK(counts(step) == Counts{10, 5});
  call_often();
  CHECK(counts(step) == Counts{10, 8});
}

TEST_CASE("compile: each device has a recording of its own") {
  auto step = compile([](const Tensor& x) { return x + 1.0; });
  for (int round = 0; round < 3; ++round) {
    for (const Device device : devices()) {
      const Tensor y = step(zeros({2}, {.device = device}));
      CHECK(y.device() == device);
      CHECK(values_of(y) == std::vector<float>{1, 1});
    }
  }
  CHECK(step.replayed_calls() == devices().size());
}

TEST_CASE("compile: training and evaluation in turns, batch norm and dropout in both") {
  Recipe recipe;
  recipe.steps = 12;
  recipe.input = {4, 2, 5, 5};
  recipe.model = [] {
    return std::make_unique<Sequential>(Conv2d(2, 4, {.kernel = 3}), BatchNorm2d(4), ReLU(),
                                        Dropout(0.5f), Flatten(), Linear(36, 3));
  };
  recipe.before = [](Training& training, int step) { training.model->train(step % 3 != 2); };
  recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
    training.optimizer->zero_grad();
    Tensor loss = cross_entropy((*training.model)(x), targets);
    if (!training.model->training()) return loss;
    loss.backward();
    training.optimizer->step();
    return loss;
  };
  CHECK(check_same(recipe).recorded == 4);
}

TEST_CASE("compile: a mode that the step sets for a while is its own affair") {
  const DeviceGuard on_device(reference());
  Sequential model(Linear(2, 8), Dropout(0.5f));
  auto step = compile([&](const Tensor& x) {
    model.eval();
    const Tensor y = model(x);
    model.train();
    return y;
  });
  const Tensor x = counting({3, 2});
  const std::vector<float> expected = values_of(step(x));
  for (int i = 0; i < 4; ++i) CHECK(values_of(step(x)) == expected);
  CHECK(counts(step) == Counts{2, 3});
  CHECK(model.training());
}

TEST_CASE("compile: a layer compiled for inference, inside of a compiled step") {
  const DeviceGuard on_device(reference());
  Sequential teacher(Linear(2, 2), Dropout(0.5f));
  Tensor w = ones({2}, {.requires_grad = true});
  auto forward = compile(teacher);
  auto step = compile([&](const Tensor& x) {
    w.set_grad({});
    Tensor loss = sum(forward(x) * w);
    loss.backward();
    return loss;
  });
  const Tensor x = counting({3, 2});
  const auto expected = [&] { return sum(forward(x)).item(); };
  for (int i = 0; i < 4; ++i) CHECK(step(x).item() == doctest::Approx(expected()));
  CHECK(counts(step) == Counts{2, 2});
  {
    const NoGradGuard no_graph;
    teacher.parameters()[0].fill(2);  // in place, and seen by both
  }
  CHECK(step(x).item() == doctest::Approx(expected()));
  CHECK(teacher.training());
}

TEST_CASE("compile: a layer that moves, or whose parameter is replaced, is recorded anew") {
  const DeviceGuard on_device(reference());
  Tensor w = full({2}, 3);
  auto step = compile([&](const Tensor& x) { return x * w; });
  const auto call_often = [&](float expected) {
    for (int i = 0; i < 3; ++i)
      CHECK(values_of(step(ones({2}))) == std::vector<float>(2, expected));
  };
  call_often(3);
  w.fill(4);  // in place: the same recording
  call_often(4);
  CHECK(counts(step) == Counts{2, 4});
  w = full({2}, 5);
  call_often(5);
  CHECK(counts(step) == Counts{4, 5});

  Linear layer(2, 2);
  auto forward = compile([&](const Tensor& x) { return layer(x); });
  for (const Device device : devices()) {
    layer.to(device);
    for (int i = 0; i < 3; ++i) {
      CHECK(forward(zeros({1, 2}, {.device = device})).device() == device);
    }
  }
  CHECK(forward.replayed_calls() == devices().size());
}

TEST_CASE("compile: a compiled step inside of another one is part of it") {
  const DeviceGuard on_device(reference());
  auto inner = compile([](const Tensor& x) { return x * 2.0; });
  Tensor w = ones({2}, {.requires_grad = true});
  auto outer = compile([&](const Tensor& x) {
    w.set_grad({});
    sum(inner(w * x)).backward();
  });
  for (int i = 0; i < 4; ++i) {
    outer(full({2}, i));
    CHECK(values_of(w.grad()) == std::vector<float>(2, 2.0f * static_cast<float>(i)));
  }
  CHECK(counts(outer) == Counts{2, 2});
  CHECK(counts(inner) == Counts{0, 0});
  for (int i = 0; i < 3; ++i) static_cast<void>(inner(ones({2})));
  CHECK(counts(inner) == Counts{2, 1});
}

TEST_CASE("compile: what a step does beside operations is done while it records only") {
  const DeviceGuard on_device(reference());
  int calls = 0;
  auto step = compile([&](const Tensor& x) {
    ++calls;
    return x + 1.0;
  });
  for (int i = 0; i < 5; ++i) static_cast<void>(step(ones({2})));
  CHECK(calls == 2);
}

TEST_CASE("compile: a compiled step moves as a value") {
  const DeviceGuard on_device(reference());
  auto first = compile([](const Tensor& x) { return x + 1.0; });
  for (int i = 0; i < 3; ++i) static_cast<void>(first(ones({2})));
  auto second = std::move(first);
  CHECK(values_of(second(ones({2}))) == std::vector<float>{2, 2});
  CHECK(counts(second) == Counts{2, 2});
}
