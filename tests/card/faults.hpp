// What must hold on every card when something goes wrong: a step without memory, a label out of
// range.
#pragma once

#include <doctest/doctest.h>

#include <numeric>

#include "backplane/backplane.hpp"

namespace backplane::card_tests {

inline Tensor labels_from(std::int64_t first) {
  std::vector<std::int64_t> labels(4);
  std::iota(labels.begin(), labels.end(), first);
  return tensor(labels, {4});
}

// A small network of all that the MNIST CNN has, on noise, one step.
inline double train_step(Device device) {
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

// Runs a step whose n-th allocation fails, for n = 1, 2, 3 ... until there is no such one: each
// ends in success or in out_of_memory, and leaves nothing behind. fail(n) sets what fails (0:
// none), attempts() counts allocations, check_leaks() is called after a shutdown.
template <class Fail, class Attempts, class CheckLeaks>
void sweep_out_of_memory(const char* name, Fail fail, Attempts attempts, CheckLeaks check_leaks) {
  const double expected = train_step(device(name));
  shutdown();
  long n = 0, wanted = 0;
  do {
    const long before = attempts();
    fail(++n);
    try {
      const double loss = train_step(device(name));
      CHECK(loss == expected);
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.code() == ErrorCode::out_of_memory);
    }
    fail(0);
    wanted = attempts() - before;
    CHECK(train_step(device(name)) == expected);
    shutdown();
    check_leaks();
  } while (wanted >= n);
  CHECK(n > 5);
}

// The fault names the sample and spares the weights; the next step is a good one.
inline void check_label_out_of_range(Device device) {
  const DeviceGuard guard(device);
  Linear linear(3, 10);
  SGD optimizer(linear.parameters(), {.learning_rate = 0.1f});
  const std::vector<float> before = linear.parameters()[0].to_vector<float>();
  const Tensor x = uniform({4, 3}, -1, 1);
  const Tensor loss = cross_entropy(linear(x), labels_from(8));  // 8, 9, 10, 11
  loss.backward();
  optimizer.step();
  CHECK_THROWS_WITH_AS((void)loss.item(), doctest::Contains("sample 2 has 10"), Error);
  CHECK(linear.parameters()[0].to_vector<float>() == before);
  optimizer.zero_grad();
  const Tensor again = cross_entropy(linear(x), labels_from(0));
  again.backward();
  optimizer.step();
  CHECK(again.item() > 0);
  CHECK(linear.parameters()[0].to_vector<float>() != before);
}

}  // namespace backplane::card_tests
