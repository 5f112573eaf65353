// MNIST: finds its four files, and checks them one by one and against each other.
#include "models/mnist/dataset.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "models/mnist/idx.hpp"

namespace backplane::models {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t rows = 28, columns = 28, classes = 10;

// One of the four files, and what its compressed form is in the set that comes with backplane.
struct File {
  std::string_view name;
  std::size_t bytes;
  std::uint32_t crc32;
};
constexpr File train_images{"train-images-idx3-ubyte", 9719438, 0x7902595d};
constexpr File train_labels{"train-labels-idx1-ubyte", 28857, 0xcbb7ede4};
constexpr File test_images{"t10k-images-idx3-ubyte", 1616508, 0x7a28f07a};
constexpr File test_labels{"t10k-labels-idx1-ubyte", 4517, 0x5318a524};

template <class... Args>
[[noreturn]] void corrupt(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(ErrorCode::data_corrupt, "mnist: " + fmt::format(text, std::forward<Args>(args)...));
}

std::filesystem::path own_directory() {
  const char* set = std::getenv("BACKPLANE_MNIST_DATA");
  return set != nullptr && *set != '\0' ? set : BACKPLANE_MNIST_DATA_DIR;
}

struct Source {
  std::filesystem::path directory;
  bool is_own;

  [[nodiscard]] std::filesystem::path find(const File& file) const {
    const std::filesystem::path plain = directory / file.name;
    std::filesystem::path packed = plain;
    packed += ".gz";
    if (std::filesystem::exists(packed)) return packed;
    if (!is_own && std::filesystem::exists(plain)) return plain;
    throw Error(ErrorCode::not_found,
                fmt::format("mnist: no {}{} in '{}'; {}", file.name, is_own ? ".gz" : "[.gz]",
                            directory.string(),
                            is_own ? "set BACKPLANE_MNIST_DATA to the directory that has it"
                                   : "it must hold the four IDX files under MNIST's names"));
  }

  [[nodiscard]] IdxArray read(const File& file) const {
    const std::filesystem::path path = find(file);
    const Bytes bytes = read_file(path);
    if (is_own) check_published(path.string(), bytes, file);
    return parse_idx(bytes, "mnist: " + path.string());
  }

  static void check_published(const std::string& path, const Bytes& bytes, const File& file) {
    const auto crc =
        static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
    if (bytes.size() == file.bytes && crc == file.crc32) return;
    corrupt(
        "{} must be the published file of {} bytes with CRC-32 {:08x}, got {} bytes with"
        " {:08x}; fetch it again, or name the directory of another set as data directory",
        path, file.bytes, file.crc32, bytes.size(), crc);
  }
};

std::string kind_of(const IdxArray& array) {
  return fmt::format("{} (dims [{}])", array.dims.size() == 1 ? "labels" : "images",
                     fmt::join(array.dims, ","));
}

Tensor images(const Source& source, const File& file) {
  const IdxArray array = source.read(file);
  if (array.dims.size() != 3) {
    corrupt("{} must hold images, got {}; are two files swapped?", file.name, kind_of(array));
  }
  if (array.dims[1] != rows || array.dims[2] != columns) {
    corrupt("{} must hold images of {}x{}, got {}x{}", file.name, rows, columns, array.dims[1],
            array.dims[2]);
  }
  return tensor(array.values, {array.dims[0], 1, rows, columns}, {.device = Device::host()});
}

Tensor labels(const Source& source, const File& file) {
  const IdxArray array = source.read(file);
  if (array.dims.size() != 1) {
    corrupt("{} must hold labels, got {}; are two files swapped?", file.name, kind_of(array));
  }
  const auto wrong = std::find_if(array.values.begin(), array.values.end(),
                                  [](std::uint8_t label) { return label >= classes; });
  if (wrong != array.values.end()) {
    corrupt("{} must hold labels below {}, label {} is {}", file.name, classes,
            wrong - array.values.begin(), *wrong);
  }
  return tensor(std::vector<std::int64_t>(array.values.begin(), array.values.end()),
                {array.dims[0]}, {.device = Device::host()});
}

TensorDataset part(const Source& source, const File& images_file, const File& labels_file) {
  const Tensor inputs = images(source, images_file);
  const Tensor targets = labels(source, labels_file);
  if (inputs.size(0) != targets.size(0)) {
    corrupt("there must be a label for each image, got {} images in {} and {} labels in {}",
            inputs.size(0), images_file.name, targets.size(0), labels_file.name);
  }
  return {inputs, targets};
}

}  // namespace

Data load_mnist(const std::filesystem::path& directory) {
  const bool is_own = directory.empty();
  const Source source{is_own ? own_directory() : directory, is_own};
  return {part(source, train_images, train_labels), part(source, test_images, test_labels)};
}

}  // namespace backplane::models
