// Data files that tests write: IDX arrays, compressed or not, in a directory that goes away.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace backplane::test {

using Bytes = std::vector<std::uint8_t>;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "backplane-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const Bytes& bytes) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::filesystem::path path_;
};

inline Bytes idx_file(const std::vector<std::uint32_t>& dims, const Bytes& values) {
  Bytes file = {0, 0, 8, static_cast<std::uint8_t>(dims.size())};
  for (const std::uint32_t dim : dims) {
    for (const int shift : {24, 16, 8, 0}) file.push_back(static_cast<std::uint8_t>(dim >> shift));
  }
  file.insert(file.end(), values.begin(), values.end());
  return file;
}

inline Bytes gzip(const Bytes& plain) {
  z_stream stream{};
  constexpr int largest_window = 15, gzip_header = 16, memory_level = 8;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, largest_window + gzip_header,
                   memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib can't start");
  }
  Bytes packed(deflateBound(&stream, plain.size()));
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace backplane::test
