// TensorDataset: rows by index, on the host.
#include "backplane/data/dataset.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace backplane;

namespace {

// `count` samples of [2,3], sample i full of i; its label is 10 * i.
TensorDataset numbered(std::int64_t count) {
  std::vector<std::uint8_t> inputs;
  std::vector<std::int64_t> targets;
  for (std::int64_t i = 0; i < count; ++i) {
    inputs.insert(inputs.end(), 6, static_cast<std::uint8_t>(i));
    targets.push_back(10 * i);
  }
  const TensorOptions host{.device = Device::host()};
  return {tensor(inputs, {count, 2, 3}, host), tensor(targets, {count}, host)};
}

using Indices = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("tensor dataset: a batch holds the rows asked for, in that order") {
  const TensorDataset data = numbered(5);
  CHECK(data.size() == 5);
  const Batch batch = data.batch(Indices{4, 0, 4});
  CHECK(batch.count == 3);
  CHECK(batch.inputs.shape() == Shape{3, 2, 3});
  CHECK(batch.inputs.dtype() == DType::u8);
  CHECK(batch.inputs.device().is_host());
  CHECK(batch.inputs.to_vector<std::uint8_t>() ==
        std::vector<std::uint8_t>{4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4});
  CHECK(batch.targets.to_vector<std::int64_t>() == Indices{40, 0, 40});
  CHECK(data.batch(Indices{}).inputs.shape() == Shape{0, 2, 3});
}

TEST_CASE("tensor dataset: views are read by their strides") {
  const TensorOptions host{.device = Device::host()};
  const Tensor x = tensor<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3}, host);
  const TensorDataset data(x.transpose(0, 1), x.transpose(0, 1).slice(1, 1, 2));
  const Batch batch = data.batch(Indices{2, 1});
  CHECK(batch.inputs.to_vector<float>() == std::vector<float>{2, 5, 1, 4});
  CHECK(batch.targets.to_vector<float>() == std::vector<float>{5, 4});
}

TEST_CASE("tensor dataset: a subset is the first samples, in the same memory") {
  const TensorDataset data = numbered(5);
  const TensorDataset first = data.subset(2);
  CHECK(first.size() == 2);
  CHECK(first.inputs().native_handle() == data.inputs().native_handle());
  CHECK(first.batch(Indices{1}).targets.item<std::int64_t>() == 10);
  CHECK(data.subset(5).size() == 5);
  CHECK(data.subset(0).size() == 0);
  CHECK_THROWS_WITH_AS((void)data.subset(6),
                       "TensorDataset: a subset must be of 0 to 5 samples, got 6", Error);
  CHECK_THROWS_WITH_AS((void)data.subset(-1),
                       "TensorDataset: a subset must be of 0 to 5 samples, got -1", Error);
}

TEST_CASE("tensor dataset: refusals") {
  const TensorOptions host{.device = Device::host()};
  const Tensor x = zeros({3, 2}, host), y = zeros({4}, host);
  CHECK_THROWS_WITH_AS(
      TensorDataset(x, y),
      "TensorDataset: inputs and targets must hold equally many samples, got 3 and 4"
      " (inputs [3,2], targets [4])",
      Error);
  CHECK_THROWS_WITH_AS(TensorDataset(Tensor(), y), "TensorDataset: inputs are undefined", Error);
  CHECK_THROWS_WITH_AS(TensorDataset(x, zeros({}, host)),
                       "TensorDataset: targets must have a first axis that counts samples, got a"
                       " scalar",
                       Error);
  const Device device = default_device();
  CHECK_THROWS_WITH_AS(
      TensorDataset(x.to(device), y),
      ("TensorDataset: inputs must be on the host, got " + device.name() + "; call cpu() first")
          .c_str(),
      Error);
  for (const std::int64_t index : {-1, 5}) {
    CHECK_THROWS_WITH_AS(
        (void)numbered(5).batch(Indices{0, index}),
        ("TensorDataset: index must be in [0, 5), got " + std::to_string(index)).c_str(), Error);
  }
}
