// Compiled steps on the simulated card: from the second repetition on, one graph launch each.
#include <doctest/doctest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "backplane/backplane.hpp"
#include "sim.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// Everything that changes from step to step: rates, step numbers, draws, labels.
class Training {
 public:
  Training() {
    manual_seed(1);
    model_.emplace(Conv2d(1, 3, {.kernel = 3}), ReLU(), MaxPool2d({.kernel = 2}), Dropout2d(0.25f),
                   Flatten(), Linear(27, 10));
    optimizer_.emplace(model_->parameters());
  }

  Tensor step(const Tensor& x, const Tensor& labels) {
    optimizer_->zero_grad();
    const Tensor loss = cross_entropy((*model_)(x), labels);
    loss.backward();
    optimizer_->step();
    return loss;
  }
  Adam& optimizer() { return *optimizer_; }
  [[nodiscard]] std::vector<float> weights() const {
    return model_->parameters()[0].to_vector<float>();
  }

 private:
  std::optional<Sequential> model_;
  std::optional<Adam> optimizer_;
};

Tensor images(int step) {
  std::vector<float> values(4 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(step) * 5) % 11) / 8;
  }
  return tensor(values, {4, 1, 8, 8});
}

Tensor labels_from(std::int64_t first) {
  std::vector<std::int64_t> labels(4);
  std::iota(labels.begin(), labels.end(), first);
  return tensor(labels, {4});
}

constexpr int recorded = 3, steps = 8;

enum class Mode { eager, list, sequence };

struct Trained {
  std::vector<float> losses, weights;
};

Trained train(Mode mode) {
  Training training;
  auto step = compile([&](const Tensor& x, const Tensor& y) { return training.step(x, y); });
  step.profile(mode == Mode::list);
  std::vector<Tensor> losses;
  for (int i = 0; i < steps; ++i) {
    begin_step(static_cast<std::uint32_t>(i));
    training.optimizer().set_learning_rate(0.01f / static_cast<float>(i + 1));
    const Tensor x = images(i), y = labels_from(i % 5);
    losses.push_back(mode == Mode::eager ? training.step(x, y) : step(x, y));
  }
  Trained trained;
  for (const Tensor& loss : losses) trained.losses.push_back(loss.item());
  trained.weights = training.weights();
  return trained;
}

}  // namespace

TEST_CASE("compiled: a sequence computes what the list does, and what the step does by itself") {
  const DeviceGuard on_device(device("cuda:0"));
  const NumericsGuard strict(Numerics::strict);
  const Trained eager = train(Mode::eager), list = train(Mode::list);
  const Trained sequence = train(Mode::sequence);
  CHECK(list.losses == eager.losses);
  CHECK(list.weights == eager.weights);
  CHECK(sequence.losses == eager.losses);
  CHECK(sequence.weights == eager.weights);
}

TEST_CASE("compiled: a repetition is one launch of a graph, and takes no memory from the card") {
  const DeviceGuard on_device(device("cuda:0"));
  Training training;
  auto step = compile([&](const Tensor& x, const Tensor& y) { return training.step(x, y); });
  const Tensor x = images(0), y = labels_from(0);
  for (int i = 0; i < recorded; ++i) (void)step(x, y);
  const auto counts = [&](auto&& body) {
    const auto before = sim::statistics();
    REQUIRE(before.has_value());
    body();
    auto now = *sim::statistics();
    now.launches -= before->launches;
    now.graph_launches -= before->graph_launches;
    now.allocation_attempts -= before->allocation_attempts;
    return now;
  };
  const auto list = counts([&] { (void)step(x, y); });
  CHECK(list.launches > 10);
  CHECK(list.graph_launches == 0);
  CHECK(counts([&] { (void)step(x, y); }).graph_launches == 1);  // noted, then run
  for (int i = 0; i < 2; ++i) {
    const auto sequence = counts([&] { (void)step(x, y); });
    CHECK(sequence.launches == list.launches);  // all of them within the graph
    CHECK(sequence.graph_launches == 1);
    CHECK(sequence.allocation_attempts == 0);
  }
  CHECK(step.replayed_calls() == 4);
}

// Each for the reason that it gives: an observer and a profile look at single operations.
TEST_CASE("compiled: where somebody looks at single operations, they run one by one") {
  const DeviceGuard on_device(device("cuda:0"));
  struct Counter final : Observer {
    void on_operation(const OperationEvent&) override { ++operations; }
    int operations = 0;
  } counter;
  auto step = compile([](const Tensor& x) { return relu(x) * 2.0; });
  const Tensor x = ones({4});
  const auto graphs_of_a_call = [&] {
    const auto before = sim::statistics()->graph_launches;
    CHECK(step(x).to_vector<float>() == std::vector<float>(4, 2.0f));
    return sim::statistics()->graph_launches - before;
  };
  for (int i = 0; i < 4; ++i) (void)step(x);
  CHECK(graphs_of_a_call() == 1);
  {
    const ObserverGuard guard(counter);
    CHECK(graphs_of_a_call() == 0);
    CHECK(counter.operations == 2);
  }
  step.profile(true);
  CHECK(graphs_of_a_call() == 0);
  CHECK(step.pieces()[0].seconds > 0);
  step.profile(false);
  CHECK(graphs_of_a_call() == 1);
  const Stream other(device("cuda:0"));
  {
    const StreamGuard guard(other);
    other.synchronize();
    CHECK(graphs_of_a_call() == 0);  // another recording
  }
  CHECK(graphs_of_a_call() == 1);
}

TEST_CASE("compiled: results of a sequence are memory of their own, arguments may be anywhere") {
  const DeviceGuard on_device(device("cuda:0"));
  std::vector<float> values(32);
  std::iota(values.begin(), values.end(), 0.0f);
  const Tensor all = tensor(values, {8, 4});
  auto step = compile([](Tensor x, const Tensor& y) {
    const Tensor sum = x + y;
    x.copy_from(sum);
    return std::vector<Tensor>{sum, sum.slice(1, 1, 3), x};
  });
  std::vector<std::vector<Tensor>> kept;
  for (int i = 0; i < 8; ++i) {
    kept.push_back(step(full({1, 4}, i), all.slice(0, i, i + 1)));
  }
  for (int i = 0; i < 8; ++i) {
    const auto& results = kept[static_cast<std::size_t>(i)];
    const auto n = static_cast<float>(5 * i);
    CHECK(results[0].to_vector<float>() == std::vector<float>{n, n + 1, n + 2, n + 3});
    CHECK(results[1].to_vector<float>() == std::vector<float>{n + 1, n + 2});
    CHECK(results[2].to_vector<float>() == std::vector<float>{n, n + 1, n + 2, n + 3});
  }
  CHECK(step.replayed_calls() == 6);
}

// The record quotes the number that the operation had when it was noted, however long ago.
TEST_CASE("compiled: a fault in a sequence names operation and sample, and spares the weights") {
  const DeviceGuard on_device(device("cuda:0"));
  Training training;
  auto step = compile([&](const Tensor& x, const Tensor& y) { return training.step(x, y); });
  const Tensor x = images(0);
  for (int i = 0; i < recorded + 2; ++i) (void)step(x, labels_from(0)).item();
  const Tensor one = ones({1});
  for (int i = 0; i < 4200; ++i) (void)relu(one);  // more than a stream remembers
  const std::vector<float> before = training.weights();
  const Tensor loss = step(x, labels_from(8));  // 8, 9, 10, 11
  CHECK_THROWS_WITH_AS((void)loss.item(), doctest::Contains("cross_entropy"), Error);
  const Tensor again = step(x, labels_from(8));
  CHECK_THROWS_WITH_AS((void)again.item(), doctest::Contains("sample 2 has 10"), Error);
  CHECK(training.weights() == before);
  CHECK(step(x, labels_from(0)).item() > 0);
  CHECK(training.weights() != before);
}

TEST_CASE("compiled: a sequence goes with its card's shutdown, and steps are recorded anew") {
  {
    auto step = compile([](const Tensor& x) { return relu(x) * 2.0; });
    for (int round = 0; round < 2; ++round) {
      const DeviceGuard on_device(device("cuda:0"));
      for (int i = 0; i < 6; ++i) CHECK(step(ones({2})).to_vector<float>()[0] == 2);
      CHECK(sim::statistics()->live_objects > 0);
      shutdown();
      CHECK(sim::statistics()->live_objects == 0);
    }
    CHECK(step.recorded_calls() == 4);
  }
  CHECK(sim::statistics()->live_allocations == 0);
}
