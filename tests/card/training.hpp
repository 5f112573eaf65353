// A few steps of the MNIST CNN on a card, and what must hold of them.
#pragma once

#include <doctest/doctest.h>

#include "backplane/backplane.hpp"
#include "backplane/observe/agreement.hpp"
#include "models/trainer.hpp"

namespace backplane::card_tests {

inline models::TrainOptions few_steps(Device device, std::int64_t batch) {
  return {.device = device, .batch = batch, .images = 32, .max_steps = 3, .evaluate = false};
}

inline std::vector<double> losses_on(Device device, std::int64_t batch) {
  return models::train(few_steps(device, batch)).losses;
}

inline void check_losses(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(expected.size() == 3);
  REQUIRE(found.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
}

// One step, each operation of it repeated on the reference.
inline void check_every_operation(Device device, std::int64_t batch) {
  models::Trainer trainer(few_steps(device, batch));
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

}  // namespace backplane::card_tests
