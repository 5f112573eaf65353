// Devices by name, the default one, guards, and the settings of the process.
#include "backplane/device.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "backplane/tensor.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

std::string available() {
  std::string names;
  for (const Device& device : devices()) names += (names.empty() ? "" : ", ") + device.name();
  return names;
}

}  // namespace

TEST_CASE("device: the reference is there, last, and says what it is") {
  const auto all = devices();
  REQUIRE(!all.empty());
  CHECK(all.back() == reference());
  const Device device = reference();
  CHECK(device.name() == "reference:0");
  CHECK(device.backend() == "reference");
  CHECK(device.index() == 0);
  CHECK(device.kind() == DeviceKind::cpu);
  CHECK(!device.is_host());
  CHECK(device.description() == "plain loops, double accumulation");
  CHECK(device.compute_units() == 1);
  CHECK(device.memory_bytes() > 0);
}

TEST_CASE("device: names") {
  CHECK(device("reference") == reference());
  CHECK(device("host") == Device::host());
  CHECK(Device::host().is_host());
  CHECK(Device::host().name() == "host");
  const Device cpu = device("cpu");
  CHECK(device("cpu:0") == cpu);
  const bool with_onednn = available().find("onednn:0") != std::string::npos;
  CHECK(cpu.name() == (with_onednn ? "onednn:0" : "reference:0"));
}

TEST_CASE("device: a name that isn't there lists what is, and why the wanted one isn't") {
  CHECK(error_of([] { return device("reference:7"); }) ==
        "not_found: no device 'reference:7'; available: " + available());
  CHECK(error_of([] { return device("cpu:1"); }) ==
        "not_found: no device 'cpu:1'; available: " + available());
  CHECK(error_of([] { return device("fpga:0"); }) ==
        "not_found: no device 'fpga:0'; available: " + available());
  for (const char* wrong : {"reference:", "reference:x", "reference:-1", "reference:1x"}) {
    CHECK(error_of([&] { return device(wrong); }) ==
          "invalid_argument: device: '" + std::string(wrong) +
              "' isn't of the form backend:index, for example onednn:0");
  }
  for (const AbsentBackend& absent : absent_backends()) {
    const std::string error = error_of([&] { return device(absent.backend + ":0"); });
    CHECK(error == "not_found: no device '" + absent.backend + ":0'; available: " + available() +
                       ". " + absent.backend + ": " + absent.reason +
                       (absent.repair.empty() ? "" : "; ") + absent.repair);
  }
}

TEST_CASE("device: GPUs by number, or else the CPU") {
  const auto all = devices();
  const bool any =
      std::any_of(all.begin(), all.end(), [](Device d) { return d.kind() == DeviceKind::gpu; });
  if (any) {
    CHECK(try_gpu() == device("gpu:0"));
    CHECK(device("gpu") == device("gpu:0"));
  } else {
    CHECK(try_gpu() == device("cpu"));
    CHECK(error_of([] {
            return device("gpu:0");
          }).starts_with("not_found: no device 'gpu:0': 0 GPUs found; available: " + available()));
  }
  CHECK(try_gpu(1000) == device("cpu"));
}

TEST_CASE("device: every back end of the project is a device or absent with a reason") {
  const auto all = devices();
  const auto absent = absent_backends();
  for (const std::string name : {"cuda", "opencl", "onednn", "reference"}) {
    const bool here =
        std::any_of(all.begin(), all.end(), [&](Device d) { return d.backend() == name; });
    const bool explained = std::any_of(absent.begin(), absent.end(), [&](const AbsentBackend& a) {
      return a.backend == name && !a.reason.empty();
    });
    CHECK_MESSAGE(here != explained, name);
  }
}

TEST_CASE("device: the default, per process and per thread") {
  const Device before = default_device();
  {
    const DeviceGuard outer(reference());
    CHECK(default_device() == reference());
    CHECK(Device() == reference());
    CHECK(zeros({1}).device() == reference());
    {
      const DeviceGuard inner(Device::host());
      CHECK(default_device() == Device::host());
    }
    CHECK(default_device() == reference());
    Device elsewhere = Device::host();
    std::thread([&] { elsewhere = default_device(); }).join();
    CHECK(elsewhere == before);
  }
  CHECK(default_device() == before);
  set_default_device(Device::host());
  CHECK(default_device() == Device::host());
  set_default_device(before);
}

TEST_CASE("device: options of the back end") {
  CHECK(error_of([] { return reference().set_option("colour", "blue"), 0; }) ==
        "not_found: reference:0: no option 'colour'");
  CHECK(error_of([] { return Device::host().set_option("colour", "blue"), 0; }) ==
        "not_found: host: no option 'colour'");
}

TEST_CASE("threads: a limit from one on") {
  const std::uint32_t before = threads();
  CHECK(before >= 1);
  set_threads(3);
  CHECK(threads() == 3);
  CHECK(error_of([] { return set_threads(0), 0; }) ==
        "invalid_argument: set_threads: expects at least one thread");
  CHECK(threads() == 3);
  set_threads(before);
}

TEST_CASE("numerics: per thread, put back by the guard") {
  CHECK(numerics() == Numerics::standard);
  {
    const NumericsGuard guard(Numerics::strict);
    CHECK(numerics() == Numerics::strict);
    Numerics elsewhere = Numerics::strict;
    std::thread([&] { elsewhere = numerics(); }).join();
    CHECK(elsewhere == Numerics::standard);
  }
  CHECK(numerics() == Numerics::standard);
  CHECK(to_string(Numerics::strict) == "strict");
  CHECK(to_string(Numerics::standard) == "standard");
}

TEST_CASE("settings in the environment" * doctest::skip()) {
  CHECK(default_device() == reference());
  CHECK(threads() == 3);
  CHECK(numerics() == Numerics::strict);
}

TEST_CASE("wrong settings in the environment" * doctest::skip()) {
  CHECK(error_of([] { return default_device(); }) ==
        "not_found: BACKPLANE_DEVICE: no device 'fpga:0'; available: " + available());
  CHECK(error_of([] { return threads(); }) ==
        "invalid_argument: BACKPLANE_THREADS: expects a whole number from 1 on, is '2x'");
  CHECK(error_of([] { return numerics(); }) ==
        "invalid_argument: BACKPLANE_NUMERICS: expects 'standard' or 'strict', is 'loose'");
}

TEST_CASE("settings: from the environment, the right and the wrong ones") {
  const Finished right =
      run_in_child("settings in the environment",
                   "BACKPLANE_DEVICE=reference BACKPLANE_THREADS=3 BACKPLANE_NUMERICS=strict");
  CHECK_MESSAGE(right.status == 0, right.output);
  const Finished wrong =
      run_in_child("wrong settings in the environment",
                   "BACKPLANE_DEVICE=fpga:0 BACKPLANE_THREADS=2x BACKPLANE_NUMERICS=loose");
  CHECK_MESSAGE(wrong.status == 0, wrong.output);
}
