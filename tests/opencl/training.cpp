// A few training steps of the MNIST CNN through both families of kernels, against the reference.
#include "backplane/observe/agreement.hpp"
#include "models/trainer.hpp"
#include "support.hpp"

using namespace backplane;  // NOLINT: the tests are a consumer of the API
using models::Trainer;
using models::TrainOptions;

namespace {

TrainOptions small(Device device, std::int64_t batch) {
  return {.device = device, .batch = batch, .images = 32, .max_steps = 3, .evaluate = false};
}

// The device as new, with this family.
Device opencl(const char* family) {
  shutdown();
  const Device chosen = device("opencl:0");
  chosen.set_option("family", family);
  return chosen;
}

}  // namespace

TEST_CASE("training: losses agree with the reference") {
  const auto expected = models::train(small(device("reference:0"), 8)).losses;
  REQUIRE(expected.size() == 3);
  for (const char* family : {"cpu", "gpu"}) {
    CAPTURE(family);
    const auto found = models::train(small(opencl(family), 8)).losses;
    REQUIRE(found.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
    }
  }
}

TEST_CASE("training: every operation of a step meets its own bound") {
  for (const char* family : {"cpu", "gpu"}) {
    CAPTURE(family);
    Trainer trainer(small(opencl(family), 2));
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
}

TEST_CASE("training: the same bits each time") {
  const auto losses = [] { return models::train(small(opencl("cpu"), 8)).losses; };
  CHECK(losses() == losses());
}

TEST_CASE("training: a later step takes no memory and waits for nothing") {
  Trainer trainer(small(opencl("cpu"), 2));
  for (int i = 0; i < 2; ++i) (void)trainer.step().item<double>();
  const long allocations = layer().allocations, finishes = layer().finishes;
  const Tensor loss = trainer.step();
  CHECK(layer().allocations == allocations);
  CHECK(layer().finishes == finishes);
  CHECK(loss.item<double>() > 0);
  CHECK(layer().finishes > finishes);
}
