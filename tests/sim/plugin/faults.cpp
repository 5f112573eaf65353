// What goes wrong on a card: no memory, labels out of range, a card that falls off the bus.
#include <doctest/doctest.h>

#include <numeric>

#include "backplane/backplane.hpp"
#include "sim.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Tensor labels_from(std::int64_t first) {
  std::vector<std::int64_t> labels(4);
  std::iota(labels.begin(), labels.end(), first);
  return tensor(labels, {4});
}

// A small network of all that the MNIST CNN has, on noise, one step.
double train_step(Device device) {
  const DeviceGuard guard(device);
  manual_seed(1);
  Sequential model(Conv2d(1, 3, {.kernel = 3}), ReLU(), MaxPool2d({.kernel = 2}), Dropout2d(0.25f),
                   Flatten(), Linear(3 * 3 * 3, 10));
  Adam optimizer(model.parameters());
  const Tensor loss = cross_entropy(model(uniform({4, 1, 8, 8}, -1, 1)), labels_from(0));
  loss.backward();
  optimizer.step();
  return loss.item();
}

// Runs a step of which the n-th allocation fails; returns how many allocations it wanted.
std::uint64_t step_without_allocation(std::uint64_t n, double expected) {
  const std::uint64_t before = sim::statistics()->allocation_attempts;
  sim::fail_allocation(n);
  try {
    const double loss = train_step(device("cuda:0"));
    CHECK(loss == expected);
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(error.code() == ErrorCode::out_of_memory);
  }
  sim::fail_allocation(0);
  const std::uint64_t wanted = sim::statistics()->allocation_attempts - before;
  CHECK(train_step(device("cuda:0")) == expected);
  shutdown();
  CHECK(sim::statistics()->live_allocations == 0);
  CHECK(sim::statistics()->live_objects == 0);
  return wanted;
}

}  // namespace

TEST_CASE("faults: whichever allocation fails, the step succeeds or says so, and nothing leaks") {
  const double expected = train_step(device("cuda:0"));
  REQUIRE(sim::present());
  shutdown();
  std::uint64_t n = 1;
  while (step_without_allocation(n, expected) >= n) ++n;
  CHECK(n > 5);
}

TEST_CASE("faults: a label out of range names the sample, spares the weights, and passes") {
  const DeviceGuard guard(device("cuda:0"));
  Linear layer(3, 10);
  SGD optimizer(layer.parameters(), {.learning_rate = 0.1f});
  const std::vector<float> before = layer.parameters()[0].to_vector<float>();
  const Tensor x = uniform({4, 3}, -1, 1);
  const Tensor loss = cross_entropy(layer(x), labels_from(8));  // 8, 9, 10, 11
  loss.backward();
  optimizer.step();
  CHECK_THROWS_WITH_AS((void)loss.item(), doctest::Contains("sample 2 has 10"), Error);
  CHECK(layer.parameters()[0].to_vector<float>() == before);
  optimizer.zero_grad();
  const Tensor again = cross_entropy(layer(x), labels_from(0));
  again.backward();
  optimizer.step();
  CHECK(again.item() > 0);
  CHECK(layer.parameters()[0].to_vector<float>() != before);
}

TEST_CASE("faults: a card is lost, another goes on") {
  const double expected = train_step(device("cuda:1"));
  (void)train_step(device("cuda:0"));
  sim::lose_device(0, 5);
  try {
    (void)train_step(device("cuda:0"));
    FAIL("the step must notice that its card is gone");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::device_lost);
    CHECK(std::string(error.what()).find("cudaError") != std::string::npos);
  }
  CHECK(train_step(device("cuda:1")) == expected);
}
