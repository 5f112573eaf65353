// CIFAR-10: reads the six files; draws images of their shape.
#include "models/cifar/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "models/synthetic.hpp"

namespace backplane::models {

namespace {

constexpr std::size_t channels = 3, side = 32, image_bytes = channels * side * side;
constexpr std::size_t record_bytes = 1 + image_bytes;
constexpr std::int64_t classes = 10;

struct Records {
  std::vector<std::uint8_t> images;
  std::vector<std::int64_t> labels;
};

void append(Records& records, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(
        ErrorCode::not_found,
        fmt::format("cifar10: there must be a file {}; the directory needs the six files of "
                    "the binary version",
                    path.string()));
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty() || bytes.size() % record_bytes != 0) {
    throw Error(ErrorCode::data_corrupt,
                fmt::format("cifar10: {} must be whole records of {} bytes, it has {} bytes; copy "
                            "it again",
                            path.string(), record_bytes, bytes.size()));
  }
  for (std::size_t at = 0; at < bytes.size(); at += record_bytes) {
    const auto label = static_cast<std::uint8_t>(bytes[at]);
    if (label >= classes) {
      throw Error(
          ErrorCode::data_corrupt,
          fmt::format("cifar10: labels must be 0 to 9, record {} of {} has {}; copy it again",
                      at / record_bytes, path.string(), label));
    }
    records.labels.push_back(label);
    const auto image = bytes.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    records.images.insert(records.images.end(), image, image + image_bytes);
  }
}

TensorDataset dataset(const Records& records) {
  const auto count = static_cast<std::int64_t>(records.labels.size());
  const TensorOptions host{.device = Device::host()};
  return {tensor(records.images, {count, channels, side, side}, host),
          tensor(records.labels, {count}, host)};
}

// One colour for each square of each class.
constexpr std::size_t squares = 4, square = side / squares;
using Palette = std::array<std::uint8_t, classes * channels * squares * squares>;

Records draw(Numbers& numbers, const Palette& palette, std::size_t count) {
  constexpr std::int64_t noise = 64;
  Records records;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t label = numbers.below(classes);
    records.labels.push_back(label);
    for (std::size_t k = 0; k < image_bytes; ++k) {
      const std::size_t plane = static_cast<std::size_t>(label) * channels + k / (side * side);
      const std::size_t row = k / side % side, column = k % side;
      const std::size_t at = (plane * squares + row / square) * squares + column / square;
      const std::int64_t level = palette[at] + numbers.below(2 * noise + 1) - noise;
      records.images.push_back(static_cast<std::uint8_t>(std::clamp<std::int64_t>(level, 0, 255)));
    }
  }
  return records;
}

}  // namespace

Data load_cifar10(const std::filesystem::path& directory) {
  Records train, test;
  for (int part = 1; part <= 5; ++part) {
    append(train, directory / fmt::format("data_batch_{}.bin", part));
  }
  append(test, directory / "test_batch.bin");
  return {dataset(train), dataset(test)};
}

Data synthetic_images(std::uint64_t seed) {
  Numbers numbers(seed);
  Palette palette;
  for (std::uint8_t& level : palette) level = static_cast<std::uint8_t>(numbers.below(256));
  TensorDataset train = dataset(draw(numbers, palette, 4096));
  return {std::move(train), dataset(draw(numbers, palette, 1024))};
}

}  // namespace backplane::models
