// What goes wrong on a device: no memory, labels out of range, a device that is gone, a driver that
// can't compile a kernel or takes few work-items of it.
#include <fstream>
#include <numeric>

#include "card/faults.hpp"
#include "support.hpp"

using namespace backplane;  // NOLINT: the tests are a consumer of the API
using card_tests::train_step;

namespace {

// Compiles from the text, whatever earlier runs left on disk.
void forget_programs() {
  shutdown();
  std::filesystem::remove_all(program_folder());
}

std::vector<float> rows_on(Device device) {
  const DeviceGuard guard(device);
  std::vector<float> values(3 * 1000);
  std::iota(values.begin(), values.end(), -1500.0f);
  const Tensor x = tensor(values, {3, 1000});
  return softmax(x * 1e-3, 1).to_vector<float>();
}

}  // namespace

TEST_CASE("faults: whichever allocation fails, the step succeeds or says so, and nothing leaks") {
  card_tests::sweep_out_of_memory(
      "opencl:0", [](long n) { layer().fail_allocation = n; },
      [] { return static_cast<long>(layer().allocations); },
      [] { CHECK(layer().live_buffers == 0); });
}

TEST_CASE("faults: a label out of range names the sample, spares the weights, and passes") {
  card_tests::check_label_out_of_range(device("opencl:0"));
}

TEST_CASE("faults: a device that is gone is said to be lost, in the driver's word") {
  (void)train_step(device("opencl:0"));
  layer().lost = true;
  try {
    (void)train_step(device("opencl:0"));
    FAIL("the step must notice that its device is gone");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::device_lost);
    CHECK(std::string(error.what()).find("CL_DEVICE_NOT_AVAILABLE") != std::string::npos);
  }
  layer().lost = false;
  shutdown();
}

TEST_CASE("faults: a kernel that can't be compiled names its file, the device and the mistake") {
  forget_programs();
  layer().broken_texts = true;
  try {
    const DeviceGuard guard(device("opencl:0"));
    (void)relu(tensor(std::vector<float>{1, 2}, {2})).to_vector<float>();
    FAIL("the driver must refuse the text");
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(error.code() == ErrorCode::backend_failure);
    for (const char* part : {"compiling relu.cl for", "no_such_type", "CL_BUILD_PROGRAM_FAILURE"}) {
      CHECK(std::string(error.what()).find(part) != std::string::npos);
    }
    CHECK(std::string(error.what()).find(device("opencl:0").description()) != std::string::npos);
  }
  layer().broken_texts = false;
  shutdown();
}

TEST_CASE("faults: a kernel that takes few work-items is compiled for fewer") {
  const std::vector<float> expected = rows_on(device("reference:0"));
  shutdown();
  device("opencl:0").set_option("family", "gpu");
  for (const unsigned most : {0u, 48u, 1u}) {
    CAPTURE(most);
    layer().most_work_items = most;
    device("opencl:0").set_option("family", "gpu");
    const std::vector<float> found = rows_on(device("opencl:0"));
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
    shutdown();
  }
  layer().most_work_items = 0;
}

TEST_CASE("programs: found on disk by the next run, and made anew where the file is damaged") {
  const auto run = [] {
    const DeviceGuard guard(device("opencl:0"));
    CHECK(relu(tensor(std::vector<float>{-1, 2}, {2})).to_vector<float>() ==
          std::vector<float>{0, 2});
    shutdown();
  };
  const auto files = [] {
    std::vector<std::filesystem::path> found;
    for (const auto& file : std::filesystem::directory_iterator(program_folder())) {
      found.push_back(file.path());
    }
    return found;
  };
  forget_programs();
  run();
  REQUIRE_FALSE(files().empty());
  const auto written = std::filesystem::last_write_time(files().front());
  run();
  CHECK(std::filesystem::last_write_time(files().front()) == written);
  for (const auto& file : files()) std::filesystem::resize_file(file, 100);
  run();
  for (const auto& file : files()) CHECK(std::filesystem::file_size(file) > 100);
}

TEST_CASE("options: a family must be known, and set before the first operation") {
  const Device opencl = device("opencl:0");
  CHECK_THROWS_WITH_AS(opencl.set_option("family", "npu"), doctest::Contains("gpu or cpu"), Error);
  CHECK_THROWS_WITH_AS(opencl.set_option("colour", "blue"), doctest::Contains("no option"), Error);
  const DeviceGuard guard(opencl);
  (void)relu(zeros({2})).to_vector<float>();
  CHECK_THROWS_WITH_AS(opencl.set_option("family", "gpu"),
                       doctest::Contains("before the device's first operation"), Error);
  shutdown();
}
