// What the tests of compile() share: a small network in training, run as it is and compiled.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backplane/backplane.hpp"
#include "core_support.hpp"

namespace backplane::test {

// A batch of four, another one for each step.
[[nodiscard]] inline Tensor images(Device device, int step, const Shape& shape = {4, 6}) {
  std::vector<float> values(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(step) * 5) % 11) / 8 - 0.5f;
  }
  return tensor(values, shape, {.device = device});
}
[[nodiscard]] inline Tensor labels(Device device, int step) {
  const std::int64_t first = step % 3;
  return tensor(std::vector<std::int64_t>{first, 2 - first, 1, first}, {4}, {.device = device});
}

struct Training {
  std::unique_ptr<Layer> model;
  std::unique_ptr<Optimizer> optimizer;
  std::optional<Scheduler> scheduler;
};

// How to train; what is left out is an MLP under SGD.
struct Recipe {
  std::function<std::unique_ptr<Layer>()> model = [] {
    return std::make_unique<Sequential>(Linear(6, 8), ReLU(), Linear(8, 3));
  };
  std::function<std::unique_ptr<Optimizer>(const std::vector<Tensor>&)> optimizer =
      [](const std::vector<Tensor>& parameters) {
        return std::make_unique<SGD>(parameters, SGD::Options{.learning_rate = 0.1f});
      };
  Schedule schedule = {};
  std::function<Tensor(Training&, const Tensor&, const Tensor&)> step =
      [](Training& training, const Tensor& x, const Tensor& targets) {
        training.optimizer->zero_grad();
        Tensor loss = cross_entropy((*training.model)(x), targets);
        loss.backward();
        training.optimizer->step();
        return loss;
      };
  std::function<void(Training&, int)> before = [](Training&, int) {};  // each call, outside of it
  Shape input = {4, 6};
  int steps = 6;
};

struct Trained {
  std::vector<float> losses;
  std::vector<std::vector<float>> state;  // all parameters and buffers
  std::uint64_t recorded = 0, replayed = 0;
};

[[nodiscard]] inline Trained train(Device device, const Recipe& recipe, bool compiled) {
  const DeviceGuard on_device(device);
  manual_seed(3);
  Training training{.model = recipe.model(), .optimizer = {}, .scheduler = {}};
  training.optimizer = recipe.optimizer(training.model->parameters());
  if (recipe.schedule) training.scheduler.emplace(*training.optimizer, recipe.schedule);
  const auto eager = [&](const Tensor& x, const Tensor& targets) {
    return recipe.step(training, x, targets);
  };
  auto step = compile(eager);
  Trained trained;
  std::vector<Tensor> losses;
  for (int i = 0; i < recipe.steps; ++i) {
    recipe.before(training, i);
    const Tensor x = images(device, i, recipe.input), targets = labels(device, i);
    losses.push_back(compiled ? step(x, targets) : eager(x, targets));
  }
  for (const Tensor& loss : losses) trained.losses.push_back(loss.item());
  for (const NamedTensor& named : training.model->named_state()) {
    trained.state.push_back(values_of(named.tensor.detach()));
  }
  trained.recorded = step.recorded_calls();
  trained.replayed = step.replayed_calls();
  return trained;
}

// At level strict, on each device: the same bits. Returns what the last device counted.
inline Trained check_same(const Recipe& recipe) {
  const NumericsGuard strict(Numerics::strict);
  Trained compiled;
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const Trained eager = train(device, recipe, false);
    compiled = train(device, recipe, true);
    CHECK(compiled.losses == eager.losses);
    CHECK(compiled.state == eager.state);
    CHECK(compiled.replayed >= 2);
    CHECK(compiled.recorded + compiled.replayed == static_cast<std::uint64_t>(recipe.steps));
  }
  return compiled;
}

}  // namespace backplane::test
