// mnist_cnn on the whole of MNIST, its step compiled: what the project promises of its first epoch.
#include <doctest/doctest.h>

#include <optional>

#include "models/trainer.hpp"

using namespace backplane;
using namespace backplane::models;

namespace {

// The reference would take most of an hour.
std::optional<Device> fast_device() {
  for (const Device device : devices()) {
    if (device.backend() != "reference") return device;
  }
  return std::nullopt;
}

}  // namespace

#ifdef BACKPLANE_SANITIZED
// Takes the same road; a whole epoch would need many minutes here.
TEST_CASE("mnist_cnn: part of an epoch at batch 512") {
  const auto device = fast_device();
  if (!device) return;
  const TrainResult result = train({.device = *device, .images = 2048, .compile = true});
  CHECK(result.steps == 4);
  CHECK(result.final_loss < result.losses.front());
  CHECK(result.test_accuracy.value() > 0.5);
}
#else
TEST_CASE("mnist_cnn: one epoch at batch 512 reaches 97.3 %") {
  const auto device = fast_device();
  if (!device) return;
  const TrainResult result = train({.device = *device, .compile = true});
  CHECK(result.images == 60000);
  CHECK(result.steps == 118);
  CHECK(result.test_accuracy.value() >= 0.973);
}
#endif
