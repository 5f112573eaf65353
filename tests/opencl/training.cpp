// A few training steps of the MNIST CNN through both families of kernels, against the reference.
#include "card/training.hpp"

#include "support.hpp"

using namespace backplane;  // NOLINT: the tests are a consumer of the API
using card_tests::few_steps;
using card_tests::losses_on;
using models::Trainer;

namespace {

// The device as new, with this family.
Device opencl(const char* family) {
  shutdown();
  const Device chosen = device("opencl:0");
  chosen.set_option("family", family);
  return chosen;
}

}  // namespace

TEST_CASE("training: losses agree with the reference") {
  const auto expected = losses_on(device("reference:0"), 8);
  for (const char* family : {"cpu", "gpu"}) {
    CAPTURE(family);
    card_tests::check_losses(losses_on(opencl(family), 8), expected);
  }
}

TEST_CASE("training: every operation of a step meets its own bound") {
  for (const char* family : {"cpu", "gpu"}) {
    CAPTURE(family);
    card_tests::check_every_operation(opencl(family), 2);
  }
}

TEST_CASE("training: convolutions that take the batch in pieces do so too") {
  // The second one has 663,552 bytes of columns for each image: five pass as two, two and one.
  const Device device = opencl("gpu");
  device.set_option("convolution_scratch_bytes", "1500000");
  card_tests::check_every_operation(device, 5);
  CHECK_THROWS_WITH_AS(device.set_option("convolution_scratch_bytes", "many"),
                       doctest::Contains("must be a whole number of bytes above 0"), Error);
}

TEST_CASE("training: the same bits each time") {
  const auto losses = [] { return losses_on(opencl("cpu"), 8); };
  CHECK(losses() == losses());
}

TEST_CASE("training: a later step takes no memory and waits for nothing") {
  Trainer trainer(few_steps(opencl("cpu"), 2));
  for (int i = 0; i < 2; ++i) (void)trainer.step().item<double>();
  const long allocations = layer().allocations, finishes = layer().finishes;
  const Tensor loss = trainer.step();
  CHECK(layer().allocations == allocations);
  CHECK(layer().finishes == finishes);
  CHECK(loss.item<double>() > 0);
  CHECK(layer().finishes > finishes);
}
