// compile: optimizers, schedules and clipping take the same steps when they are repeated.
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

template <class Kind>
Recipe with(const typename Kind::Options& options) {
  Recipe recipe;
  recipe.optimizer = [options](const std::vector<Tensor>& parameters) {
    return std::make_unique<Kind>(parameters, options);
  };
  return recipe;
}

}  // namespace

TEST_CASE("compile: Adam and AdamW, whose steps are numbered") {
  CHECK(check_same(with<Adam>({.learning_rate = 0.01f})).recorded == 3);
  check_same(with<AdamW>({.learning_rate = 0.01f, .weight_decay = 0.1f}));
}

TEST_CASE("compile: SGD, whose first step with momentum is another one") {
  CHECK(check_same({}).recorded == 2);
  check_same(with<SGD>({.learning_rate = 0.1f, .momentum = 0.9f, .dampening = 0.5f}));
  check_same(with<SGD>({.learning_rate = 0.1f, .momentum = 0.9f, .nesterov = true}));
}

TEST_CASE("compile: RMSprop") {
  check_same(with<RMSprop>({.learning_rate = 0.01f, .momentum = 0.9f, .centered = true}));
}

TEST_CASE("compile: groups of parameters have rates of their own") {
  Recipe recipe;
  recipe.optimizer = [](const std::vector<Tensor>& p) {
    using Group = Adam::ParameterGroup;
    return std::make_unique<Adam>(std::vector<Group>{{{p[0], p[1]}, {.learning_rate = 0.01f}},
                                                     {{p[2], p[3]}, {.learning_rate = 0.1f}}});
  };
  recipe.before = [](Training& training, int step) {
    training.optimizer->set_learning_rate(1, 0.1f / static_cast<float>(step + 1));
  };
  check_same(recipe);
}

TEST_CASE("compile: a rate set between calls counts in the next one") {
  Recipe recipe;
  recipe.before = [](Training& training, int step) {
    training.optimizer->set_learning_rate(step == 4 ? 0 : 0.1f);
  };
  const Trained trained = check_same(recipe);
  CHECK(trained.recorded == 2);
}

TEST_CASE("compile: a scheduler outside of the step") {
  Recipe recipe;
  recipe.schedule = step_decay(2, 0.5);
  recipe.before = [](Training& training, int step) {
    if (step > 0) training.scheduler->step();
  };
  check_same(recipe);
}

// Before the update it changes this step's rate, after it the next one's.
TEST_CASE("compile: a scheduler inside of the step, before or after the update") {
  for (const bool first : {false, true}) {
    CAPTURE(first);
    Recipe recipe = with<Adam>({.learning_rate = 0.01f});
    recipe.schedule = cosine_decay(8);
    recipe.step = [first](Training& training, const Tensor& x, const Tensor& targets) {
      training.optimizer->zero_grad();
      Tensor loss = cross_entropy((*training.model)(x), targets);
      loss.backward();
      if (first) training.scheduler->step();
      training.optimizer->step();
      if (!first) training.scheduler->step();
      return loss;
    };
    check_same(recipe);
  }
}

TEST_CASE("compile: two updates in one step are two") {
  Recipe recipe = with<Adam>({.learning_rate = 0.01f});
  recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
    Tensor loss;
    for (int i = 0; i < 2; ++i) {
      training.optimizer->zero_grad();
      loss = cross_entropy((*training.model)(x), targets);
      loss.backward();
      training.optimizer->step();
    }
    return loss;
  };
  check_same(recipe);
}

TEST_CASE("compile: clip_grad_norm and clip_grad_value") {
  Recipe recipe;
  recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
    training.optimizer->zero_grad();
    const Tensor loss = cross_entropy((*training.model)(x), targets);
    loss.backward();
    const Tensor norm = clip_grad_norm(training.model->parameters(), 0.5f);
    clip_grad_value(training.model->parameters(), 0.2f);
    training.optimizer->step();
    return loss.detach() + norm;
  };
  check_same(recipe);
}

TEST_CASE("compile: an optimizer's counters go on, and its state can be stored and loaded") {
  const DeviceGuard on_device(reference());
  manual_seed(1);
  Linear layer(2, 2);
  Adam optimizer(layer.parameters());
  auto step = compile([&](const Tensor& x) {
    optimizer.zero_grad();
    sum(layer(x)).backward();
    optimizer.step();
  });
  const Tensor x = counting({3, 2});
  for (int i = 0; i < 5; ++i) step(x);
  CHECK(step.replayed_calls() == 2);
  CHECK(optimizer.step_count() == 5);
  std::vector<NamedState> stored = optimizer.state();
  for (NamedState& one : stored) one.tensor = one.tensor.clone();
  const std::vector<float> weight = values_of(layer.parameters()[0]);
  step(x);
  const std::vector<float> next = values_of(layer.parameters()[0]);

  optimizer.load_state(stored);  // other tensors: recorded anew
  {
    const NoGradGuard no_graph;
    layer.parameters()[0].copy_from(tensor(weight, {2, 2}));
  }
  step(x);
  CHECK(values_of(layer.parameters()[0]) == next);
  CHECK(optimizer.step_count() == 6);
  CHECK(step.recorded_calls() == 4);
}
