// IDX files: arrays of bytes behind a small header, as MNIST is published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace backplane::models {

struct IdxArray {
  std::vector<std::int64_t> dims;
  std::vector<std::uint8_t> values;  // row-major, as many as the product of dims
};

// Two zero bytes, a type (8: unsigned bytes, the only one read here), the rank, one big-endian
// 32-bit number for each dim, the values: see yann.lecun.com/exdb/mnist.
//
// `bytes` may be gzip-compressed (RFC 1952). `name` opens the messages. Error(data_corrupt) if it
// is cut short, damaged, longer than its header says, or no IDX.
[[nodiscard]] IdxArray parse_idx(const std::vector<std::uint8_t>& bytes, const std::string& name);

// Error(not_found) if the file can't be read.
[[nodiscard]] std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

}  // namespace backplane::models
