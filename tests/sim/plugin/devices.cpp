// What a card offers beside computing: copies from another card, its own state, pinned memory.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "backplane/backplane.hpp"
#include "sim.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Floats = std::vector<float>;

Device card(int index) {
  return device("cuda:" + std::to_string(index));
}

Floats counting(std::int64_t count) {
  Floats values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace

TEST_CASE("peers: a tensor goes from card to card without the host, in the order of both streams") {
  const Floats values = counting(1000);
  Tensor x = tensor(values, {1000}, {.device = card(0)}) * 2.0;
  (void)x.to(card(1)).to_vector<float>();  // makes the streams and the way
  const auto before = sim::statistics();
  const Tensor there = x.to(card(1));
  const Tensor doubled = there + there;
  x = Tensor();  // its memory is written again at once, while the copy may still be waiting
  const Tensor overwritten = full({1000}, -1, {.device = card(0)});
  const auto after = sim::statistics();
  CHECK(after->device_to_host == before->device_to_host);
  CHECK(after->synchronisations == before->synchronisations);
  const Floats found = doubled.to_vector<float>();
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == 4 * values[i]);
  CHECK(overwritten.to_vector<float>()[7] == -1);
  CHECK(transfer_stats(card(1)).peer_copies >= 2);
}

TEST_CASE("peers: gradients go back to the card they belong to") {
  Tensor x = tensor(Floats{1, 2}, {2}, {.device = card(0)}).set_requires_grad();
  sum(x.to(card(1)) * 3.0).backward();
  CHECK(x.grad().device() == card(0));
  CHECK(x.grad().to_vector<float>() == Floats{3, 3});
}

TEST_CASE("monitor: NVML's answers about the card of that bus id") {
  for (int index = 0; index < 2; ++index) {
    const auto read = card(index).monitor();
    REQUIRE(read.has_value());
    CHECK(read->utilization == 37 + index);
    CHECK(read->temperature == 54 + index);
    CHECK(read->power == doctest::Approx(123.5 + 1e-3 * index));
    CHECK(read->clock == 1410 + index);
    CHECK(std::isnan(read->memory_clock));  // the simulated card doesn't say
  }
}

TEST_CASE("pinned memory: batches are read from where they lie, and are not staged") {
  const DeviceGuard guard(card(0));
  const TensorOptions host{.device = Device::host()};
  const TensorDataset dataset(tensor(counting(40000), {4, 10000}, host),
                              tensor(std::vector<std::int64_t>{1, 2, 3, 4}, {4}, host));
  DataLoader loader(dataset, {.batch_size = 1, .pin_memory = true});
  const auto epoch = [&] {
    std::vector<Tensor> batches;
    for (const Batch& batch : loader) batches.push_back(batch.inputs.to(card(0)) + 1.0);
    return batches;
  };
  (void)epoch();
  const auto before = sim::statistics();
  const std::vector<Tensor> batches = epoch();
  CHECK(sim::statistics()->synchronisations == before->synchronisations);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Floats values = batches[i].to_vector<float>();
    CHECK(values.front() == static_cast<float>(i * 10000 + 1));
    CHECK(values.back() == static_cast<float>(i * 10000 + 10000));
  }
}

TEST_CASE("pinned memory: writing waits until the card has read") {
  const DeviceGuard guard(card(0));
  const TensorOptions host{.device = Device::host()};
  const TensorDataset dataset(tensor(counting(8), {2, 4}, host),
                              tensor(std::vector<std::int64_t>{1, 2}, {2}, host));
  DataLoader loader(dataset, {.batch_size = 2, .prefetch = false, .pin_memory = true});
  Tensor inputs = (*loader.begin()).inputs;
  const Tensor first = inputs.to(card(0));
  for (float& value : inputs.data<float>()) value = -5;
  const Tensor second = inputs.to(card(0));
  inputs.fill(9);
  CHECK(first.to_vector<float>() == counting(8));
  CHECK(second.to_vector<float>() == Floats(8, -5));
}
