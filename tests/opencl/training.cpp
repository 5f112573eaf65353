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

namespace {

// One step, each operation of it repeated on the reference.
void check_step(Device device, std::int64_t batch) {
  Trainer trainer(small(device, batch));
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

}  // namespace

TEST_CASE("training: every operation of a step meets its own bound") {
  for (const char* family : {"cpu", "gpu"}) {
    CAPTURE(family);
    check_step(opencl(family), 2);
  }
}

TEST_CASE("training: convolutions that take the batch in pieces do so too") {
  // The second one has 663,552 bytes of columns for each image: five pass as two, two and one.
  const Device device = opencl("gpu");
  device.set_option("convolution_scratch_bytes", "1500000");
  check_step(device, 5);
  CHECK_THROWS_WITH_AS(device.set_option("convolution_scratch_bytes", "many"),
                       doctest::Contains("must be a whole number of bytes above 0"), Error);
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
