// CIFAR-10 and the images of its shape.
#include "models/cifar/dataset.hpp"

#include <doctest/doctest.h>

#include <string>

#include "models/files.hpp"

using namespace backplane;
using namespace backplane::models;
using backplane::test::Bytes;
using backplane::test::TemporaryDirectory;

namespace {

// Records of one label and 3,072 bytes that count up from the label.
Bytes records(std::initializer_list<std::uint8_t> labels) {
  Bytes bytes;
  for (const std::uint8_t label : labels) {
    bytes.push_back(label);
    for (int i = 0; i < 3072; ++i) bytes.push_back(static_cast<std::uint8_t>(label + i));
  }
  return bytes;
}

void write_all(const TemporaryDirectory& directory) {
  for (std::uint8_t part = 1; part <= 5; ++part) {
    directory.write("data_batch_" + std::to_string(part) + ".bin", records({part, 9}));
  }
  directory.write("test_batch.bin", records({0}));
}

}  // namespace

TEST_CASE("cifar10: images and labels of all files, in order") {
  const TemporaryDirectory directory;
  write_all(directory);
  const Data data = load_cifar10(directory.path());
  CHECK(data.train.inputs().shape() == Shape{10, 3, 32, 32});
  CHECK(data.test.inputs().shape() == Shape{1, 3, 32, 32});
  CHECK(data.train.targets().to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{1, 9, 2, 9, 3, 9, 4, 9, 5, 9});
  const auto pixels = data.train.inputs().to_vector<std::uint8_t>();
  CHECK(pixels[0] == 1);
  CHECK(pixels[3072 + 5] == 14);
}

TEST_CASE("cifar10: a missing, cut or foreign file is named") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH_AS((void)load_cifar10(directory.path()),
                       doctest::Contains("data_batch_1.bin; the directory needs the six files"),
                       Error);
  write_all(directory);
  directory.write("data_batch_4.bin", Bytes(3072));
  CHECK_THROWS_WITH_AS((void)load_cifar10(directory.path()),
                       doctest::Contains("must be whole records of 3073 bytes, it has 3072"),
                       Error);
  write_all(directory);
  directory.write("test_batch.bin", Bytes());
  CHECK_THROWS_WITH_AS((void)load_cifar10(directory.path()), doctest::Contains("it has 0 bytes"),
                       Error);
  write_all(directory);
  directory.write("test_batch.bin", records({3, 10}));
  CHECK_THROWS_WITH_AS((void)load_cifar10(directory.path()),
                       doctest::Contains("labels must be 0 to 9, record 1 of"), Error);
}

TEST_CASE("synthetic images: they depend on the seed alone, and their class shows") {
  const Data data = synthetic_images(3), same = synthetic_images(3), other = synthetic_images(4);
  CHECK(data.train.inputs().shape() == Shape{4096, 3, 32, 32});
  CHECK(data.test.size() == 1024);
  const auto pixels = data.train.inputs().to_vector<std::uint8_t>();
  CHECK(pixels == same.train.inputs().to_vector<std::uint8_t>());
  CHECK(pixels != other.train.inputs().to_vector<std::uint8_t>());
  // Two images of a class are up to 128 levels apart where none is cut off, those of two aren't.
  const auto labels = data.train.targets().to_vector<std::int64_t>();
  for (std::size_t i = 1; i < 64; ++i) {
    int worst = 0;
    for (std::size_t k = 0; k < 3072; ++k) {
      worst = std::max(worst, std::abs(int{pixels[k]} - int{pixels[i * 3072 + k]}));
    }
    CHECK((worst <= 128) == (labels[i] == labels[0]));
  }
}
