// A few training steps of the MNIST CNN on the simulated card, against the reference.
#include <doctest/doctest.h>

#include "backplane/backplane.hpp"
#include "backplane/observe/agreement.hpp"
#include "models/trainer.hpp"
#include "sim.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API
using models::Trainer;
using models::TrainOptions;

namespace {

TrainOptions small(const char* name, std::int64_t batch) {
  return {.device = device(name), .batch = batch, .images = 32, .max_steps = 3, .evaluate = false};
}

std::vector<double> losses_on(const char* name, std::int64_t batch) {
  return models::train(small(name, batch)).losses;
}

}  // namespace

TEST_CASE("training: losses agree with the reference") {
  const auto expected = losses_on("reference:0", 8), found = losses_on("cuda:0", 8);
  REQUIRE(expected.size() == 3);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE("training: every operation of a step meets its own bound") {
  Trainer trainer(small("cuda:0", 2));
  AgreementAudit audit;
  {
    const ObserverGuard guard(audit);
    (void)trainer.step();
  }
  const AgreementAudit::Report& report = audit.report();
  INFO(report.first_failure);
  CHECK(report.agrees());
  CHECK(report.operations_checked > 15);
}

TEST_CASE("training: two cards in one process, in turn, compute what one does") {
  const auto alone = losses_on("cuda:0", 2);
  Trainer first(small("cuda:0", 2)), second(small("cuda:1", 2));
  for (const double loss : alone) {
    const Tensor a = first.step(), b = second.step();
    CHECK(a.item<double>() == loss);
    CHECK(b.item<double>() == loss);
  }
}

TEST_CASE("training: a step copies nothing back to the host") {
  Trainer trainer(small("cuda:0", 2));
  (void)trainer.step().item<double>();
  const auto before = sim::statistics();
  REQUIRE(before.has_value());
  (void)trainer.step();
  CHECK(sim::statistics()->device_to_host == before->device_to_host);
  CHECK(sim::statistics()->synchronisations == before->synchronisations);
}

TEST_CASE("training: later steps take no memory from the card") {
  Trainer trainer(small("cuda:0", 2));
  for (int i = 0; i < 2; ++i) (void)trainer.step().item<double>();
  const auto before = sim::statistics();
  REQUIRE(before.has_value());
  (void)trainer.step().item<double>();
  CHECK(sim::statistics()->allocation_attempts == before->allocation_attempts);
}
