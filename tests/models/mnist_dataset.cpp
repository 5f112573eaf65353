// MNIST: the set that comes with backplane, sets from elsewhere, and each way to be wrong.
#include "models/mnist/dataset.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "files.hpp"

using namespace backplane;
using namespace backplane::models;
using namespace backplane::test;

namespace {

Bytes images(std::uint32_t count, std::uint32_t side = 28) {
  Bytes pixels(std::size_t{count} * side * side);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i % 251);
  return idx_file({count, side, side}, pixels);
}

Bytes labels(const Bytes& values) {
  return idx_file({static_cast<std::uint32_t>(values.size())}, values);
}

// A small set of three images to train and two to test; some files plain, some compressed.
void write_small_set(const TemporaryDirectory& directory) {
  directory.write("train-images-idx3-ubyte.gz", gzip(images(3)));
  directory.write("train-labels-idx1-ubyte", labels({7, 0, 9}));
  directory.write("t10k-images-idx3-ubyte", images(2));
  directory.write("t10k-labels-idx1-ubyte.gz", gzip(labels({1, 2})));
}

void check_refused(const TemporaryDirectory& directory, ErrorCode code, const std::string& text) {
  CHECK_THROWS_WITH_AS((void)load_mnist(directory.path()), text.c_str(), Error);
  try {
    (void)load_mnist(directory.path());
  } catch (const Error& error) {
    CHECK(error.code() == code);
  }
}

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("mnist: the set that comes with backplane") {
  const Data data = load_mnist();
  CHECK(data.train.inputs().shape() == Shape{60000, 1, 28, 28});
  CHECK(data.train.inputs().dtype() == DType::u8);
  CHECK(data.train.targets().shape() == Shape{60000});
  CHECK(data.train.targets().dtype() == DType::i64);
  CHECK(data.test.inputs().shape() == Shape{10000, 1, 28, 28});
  CHECK(data.test.size() == 10000);
  const auto first = data.train.targets().slice(0, 0, 5).to_vector<std::int64_t>();
  CHECK(first == std::vector<std::int64_t>{5, 0, 4, 1, 9});

  // The network's constants are the mean and deviation of these pixels.
  const auto pixels = data.train.inputs().to_vector<std::uint8_t>();
  double sum = 0, squares = 0;
  for (const std::uint8_t pixel : pixels) {
    sum += pixel;
    squares += 1.0 * pixel * pixel;
  }
  const double mean = sum / static_cast<double>(pixels.size());
  const double variance = squares / static_cast<double>(pixels.size()) - mean * mean;
  CHECK(mean / 255 == doctest::Approx(0.1307).epsilon(1e-3));
  CHECK(std::sqrt(variance) / 255 == doctest::Approx(0.3081).epsilon(1e-3));
}

TEST_CASE("mnist: a set from another directory, plain or compressed") {
  const TemporaryDirectory directory;
  write_small_set(directory);
  const Data data = load_mnist(directory.path());
  CHECK(data.train.inputs().shape() == Shape{3, 1, 28, 28});
  CHECK(data.train.targets().to_vector<std::int64_t>() == std::vector<std::int64_t>{7, 0, 9});
  CHECK(data.test.size() == 2);
  CHECK(data.test.inputs().to_vector<std::uint8_t>()[30] == 30);
}

TEST_CASE("mnist: a missing file") {
  const TemporaryDirectory directory;
  const std::string where = directory.path().string();
  check_refused(directory, ErrorCode::not_found,
                "mnist: no train-images-idx3-ubyte[.gz] in '" + where +
                    "'; it must hold the four IDX files under MNIST's names");
  write_small_set(directory);
  std::filesystem::remove(directory.path() / "t10k-labels-idx1-ubyte.gz");
  check_refused(directory, ErrorCode::not_found,
                "mnist: no t10k-labels-idx1-ubyte[.gz] in '" + where +
                    "'; it must hold the four IDX files under MNIST's names");
}

TEST_CASE("mnist: a file that is cut short is named with its path") {
  const TemporaryDirectory directory;
  write_small_set(directory);
  directory.write("train-labels-idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 3, 7});
  check_refused(directory, ErrorCode::data_corrupt,
                "mnist: " + (directory.path() / "train-labels-idx1-ubyte").string() +
                    ": must hold as many values as its dims [3] say, got 1; it is cut short or"
                    " damaged, fetch it again");
}

TEST_CASE("mnist: swapped files") {
  const TemporaryDirectory directory;
  SUBCASE("labels for images") {
    write_small_set(directory);
    directory.write("train-images-idx3-ubyte.gz", labels({1, 2, 3}));
    check_refused(directory, ErrorCode::data_corrupt,
                  "mnist: train-images-idx3-ubyte must hold images, got labels (dims [3]); are two"
                  " files swapped?");
  }
  SUBCASE("images for labels") {
    write_small_set(directory);
    directory.write("t10k-labels-idx1-ubyte.gz", images(2));
    check_refused(directory, ErrorCode::data_corrupt,
                  "mnist: t10k-labels-idx1-ubyte must hold labels, got images (dims [2,28,28]); are"
                  " two files swapped?");
  }
}

TEST_CASE("mnist: files that don't belong together or to MNIST") {
  const TemporaryDirectory directory;
  write_small_set(directory);
  SUBCASE("counts differ") {
    directory.write("train-labels-idx1-ubyte", labels({1, 2, 3, 4}));
    check_refused(directory, ErrorCode::data_corrupt,
                  "mnist: there must be a label for each image, got 3 images in"
                  " train-images-idx3-ubyte and 4 labels in train-labels-idx1-ubyte");
  }
  SUBCASE("a label above 9") {
    directory.write("train-labels-idx1-ubyte", labels({1, 10, 3}));
    check_refused(directory, ErrorCode::data_corrupt,
                  "mnist: train-labels-idx1-ubyte must hold labels below 10, label 1 is 10");
  }
  SUBCASE("images of another size") {
    directory.write("t10k-images-idx3-ubyte", images(2, 32));
    check_refused(directory, ErrorCode::data_corrupt,
                  "mnist: t10k-images-idx3-ubyte must hold images of 28x28, got 32x32");
  }
}

TEST_CASE("mnist: BACKPLANE_MNIST_DATA moves the own set, which must be the published one") {
  const TemporaryDirectory directory;
  const Variable variable("BACKPLANE_MNIST_DATA", directory.path().string());
  CHECK_THROWS_WITH_AS((void)load_mnist(),
                       ("mnist: no train-images-idx3-ubyte.gz in '" + directory.path().string() +
                        "'; set BACKPLANE_MNIST_DATA to the directory that has it")
                           .c_str(),
                       Error);
  write_small_set(directory);
  CHECK_THROWS_WITH_AS((void)load_mnist(),
                       doctest::Contains("train-images-idx3-ubyte.gz must be the published file of"
                                         " 9719438 bytes with CRC-32 7902595d, got "),
                       Error);
  CHECK(load_mnist(directory.path()).test.size() == 2);

  SUBCASE("one flipped bit is found") {
    Bytes bytes(9719438);
    directory.write("train-images-idx3-ubyte.gz", bytes);
    CHECK_THROWS_WITH_AS((void)load_mnist(), doctest::Contains("got 9719438 bytes with "), Error);
  }
}
