// A few training steps of the MNIST CNN on the simulated card, against the reference.
#include "card/training.hpp"
#include "sim.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API
using card_tests::few_steps;
using card_tests::losses_on;
using models::Trainer;

TEST_CASE("training: losses agree with the reference") {
  card_tests::check_losses(losses_on(device("cuda:0"), 8), losses_on(device("reference:0"), 8));
}

TEST_CASE("training: every operation of a step meets its own bound") {
  card_tests::check_every_operation(device("cuda:0"), 2);
}

TEST_CASE("training: two cards in one process, in turn, compute what one does") {
  const auto alone = losses_on(device("cuda:0"), 2);
  Trainer first(few_steps(device("cuda:0"), 2)), second(few_steps(device("cuda:1"), 2));
  for (const double loss : alone) {
    const Tensor a = first.step(), b = second.step();
    CHECK(a.item<double>() == loss);
    CHECK(b.item<double>() == loss);
  }
}

TEST_CASE("training: a step copies nothing back to the host") {
  Trainer trainer(few_steps(device("cuda:0"), 2));
  (void)trainer.step().item<double>();
  const auto before = sim::statistics();
  REQUIRE(before.has_value());
  (void)trainer.step();
  CHECK(sim::statistics()->device_to_host == before->device_to_host);
  CHECK(sim::statistics()->synchronisations == before->synchronisations);
}

TEST_CASE("training: later steps take no memory from the card") {
  Trainer trainer(few_steps(device("cuda:0"), 2));
  for (int i = 0; i < 2; ++i) (void)trainer.step().item<double>();
  const auto before = sim::statistics();
  REQUIRE(before.has_value());
  (void)trainer.step().item<double>();
  CHECK(sim::statistics()->allocation_attempts == before->allocation_attempts);
}
