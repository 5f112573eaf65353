// compile: gradients are zeroed, accumulated and left where the step would.
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

// Forward and backward alone: the rest is up to the test.
Tensor accumulate(Training& training, const Tensor& x, const Tensor& targets) {
  Tensor loss = cross_entropy((*training.model)(x), targets);
  loss.backward();
  return loss;
}

}  // namespace

TEST_CASE("compile: gradients zeroed inside, with their memory kept") {
  Recipe recipe;
  recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
    training.optimizer->zero_grad(true);
    Tensor loss = accumulate(training, x, targets);
    training.optimizer->step();
    return loss;
  };
  check_same(recipe);
}

TEST_CASE("compile: gradients zeroed outside") {
  for (const bool keep_memory : {false, true}) {
    CAPTURE(keep_memory);
    Recipe recipe;
    recipe.before = [keep_memory](Training& training, int) {
      training.optimizer->zero_grad(keep_memory);
    };
    recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
      Tensor loss = accumulate(training, x, targets);
      training.optimizer->step();
      return loss;
    };
    check_same(recipe);
  }
}

TEST_CASE("compile: gradients zeroed at the end") {
  Recipe recipe;
  recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
    Tensor loss = accumulate(training, x, targets);
    training.optimizer->step();
    training.optimizer->zero_grad();
    return loss;
  };
  check_same(recipe);
}

TEST_CASE("compile: gradients never zeroed") {
  Recipe recipe;
  recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
    Tensor loss = accumulate(training, x, targets);
    training.optimizer->step();
    return loss;
  };
  check_same(recipe);
}

// The first call of each update finds no gradient, the others add to it.
TEST_CASE("compile: gradients accumulated over several calls, the update outside") {
  for (const int calls : {2, 3}) {
    CAPTURE(calls);
    Recipe recipe;
    recipe.steps = 6 * calls;
    recipe.before = [calls](Training& training, int step) {
      if (step == 0 || step % calls != 0) return;
      training.optimizer->step();
      training.optimizer->zero_grad();
    };
    recipe.step = accumulate;
    check_same(recipe);
  }
}

TEST_CASE("compile: a gradient can be read after each repetition, and set before") {
  const DeviceGuard on_device(reference());
  Tensor w = counting({3}).set_requires_grad();
  auto step = compile([&](const Tensor& x) { sum(w * x).backward(); });
  const Tensor x = counting({3});
  for (int i = 0; i < 4; ++i) {
    w.set_grad({});
    step(x);
    CHECK(values_of(w.grad()) == std::vector<float>{0, 1, 2});
  }
  CHECK(step.replayed_calls() == 2);
  w.set_grad(ones({3}));
  step(x);
  CHECK(values_of(w.grad()) == std::vector<float>{1, 2, 3});
  w.set_grad({});
  step(x);
  CHECK(values_of(w.grad()) == std::vector<float>{0, 1, 2});
}

TEST_CASE("compile: what a step sets as a gradient is set in each repetition") {
  const DeviceGuard on_device(reference());
  Tensor w = counting({2}).set_requires_grad();
  auto step = compile([&](const Tensor& x) { w.set_grad(x * 2.0); });
  for (int i = 0; i < 4; ++i) {
    step(full({2}, i));
    CHECK(values_of(w.grad()) == std::vector<float>(2, 2.0f * static_cast<float>(i)));
    w.set_grad({});
  }
  CHECK(step.replayed_calls() == 2);
}

TEST_CASE("compile: a step that doesn't touch gradients doesn't care about them") {
  const DeviceGuard on_device(reference());
  Tensor w = counting({2}).set_requires_grad();
  auto forward = compile([&](const Tensor& x) { return w * x; });
  const Tensor x = counting({2});
  static_cast<void>(forward(x));
  static_cast<void>(forward(x));
  w.set_grad(ones({2}));
  static_cast<void>(forward(x));
  CHECK(forward.replayed_calls() == 1);
  CHECK(values_of(w.grad()) == std::vector<float>{1, 1});
}

TEST_CASE("compile: a parameter frozen or set free between calls is recorded anew") {
  Recipe recipe;
  recipe.steps = 9;
  recipe.before = [](Training& training, int step) {
    if (step % 3 == 0) training.model->parameters()[0].set_requires_grad(step != 3);
  };
  recipe.optimizer = [](const std::vector<Tensor>& parameters) {
    return std::make_unique<SGD>(parameters, SGD::Options{.learning_rate = 0.1f});
  };
  check_same(recipe);
}
