// What goes wrong on a card: no memory, labels out of range, a card that falls off the bus.
#include <doctest/doctest.h>

#include "card/faults.hpp"
#include "sim.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API
using card_tests::train_step;

TEST_CASE("faults: whichever allocation fails, the step succeeds or says so, and nothing leaks") {
  (void)device("cuda:0");  // brings the simulated libraries in
  REQUIRE(sim::present());
  card_tests::sweep_out_of_memory(
      "cuda:0", [](long n) { sim::fail_allocation(static_cast<std::uint64_t>(n)); },
      [] { return static_cast<long>(sim::statistics()->allocation_attempts); },
      [] {
        CHECK(sim::statistics()->live_allocations == 0);
        CHECK(sim::statistics()->live_objects == 0);
      });
}

TEST_CASE("faults: a label out of range names the sample, spares the weights, and passes") {
  card_tests::check_label_out_of_range(device("cuda:0"));
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
