// IDX files: arrays of bytes behind a small header.
#include "models/mnist/idx.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <span>

#include "backplane/error.hpp"

namespace backplane::models {

namespace {

using Bytes = std::vector<std::uint8_t>;

template <class... Args>
[[noreturn]] void corrupt(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(ErrorCode::data_corrupt, fmt::format(text, std::forward<Args>(args)...));
}

// zlib's stream with its end in a destructor.
struct Inflater {
  explicit Inflater(const Bytes& source) {
    constexpr int largest_window = 15, gzip_only = 16;
    if (inflateInit2(&stream, largest_window + gzip_only) != Z_OK) throw std::bad_alloc();
    stream.next_in = const_cast<Bytef*>(source.data());  // zlib only reads it
    stream.avail_in = static_cast<uInt>(source.size());
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream stream{};
};

Bytes gunzip(const Bytes& source, const std::string& name) {
  Inflater inflater(source);
  z_stream& stream = inflater.stream;
  Bytes target(4 * source.size() + 1024);
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.total_out == target.size()) target.resize(2 * target.size());
    stream.next_out = target.data() + stream.total_out;
    stream.avail_out = static_cast<uInt>(target.size() - stream.total_out);
    status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      corrupt("{}: is cut short, its compressed data end after {} bytes; fetch it again", name,
              source.size());
    }
    if (status != Z_OK && status != Z_STREAM_END) {
      corrupt("{}: is damaged, zlib says '{}' at byte {}; fetch it again", name,
              stream.msg != nullptr ? stream.msg : zError(status), stream.total_in);
    }
  }
  if (stream.avail_in > 0) {
    corrupt("{}: has {} bytes after its compressed data; fetch it again", name, stream.avail_in);
  }
  target.resize(stream.total_out);
  return target;
}

std::vector<std::int64_t> parse_header(std::span<const std::uint8_t> bytes,
                                       const std::string& name) {
  constexpr std::uint8_t unsigned_bytes = 8;
  if (bytes.size() < 4)
    corrupt("{}: is cut short, {} bytes hold no IDX header", name, bytes.size());
  if (bytes[0] != 0 || bytes[1] != 0 || bytes[2] != unsigned_bytes || bytes[3] == 0) {
    corrupt(
        "{}: must be an IDX file of bytes (magic 00 00 08 and the rank), got"
        " {:02x} {:02x} {:02x} {:02x}",
        name, bytes[0], bytes[1], bytes[2], bytes[3]);
  }
  const std::size_t rank = bytes[3];
  if (bytes.size() < 4 + 4 * rank) {
    corrupt("{}: is cut short, {} bytes hold no IDX header of rank {}", name, bytes.size(), rank);
  }
  std::vector<std::int64_t> dims(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    for (const std::uint8_t byte : bytes.subspan(4 + 4 * axis, 4)) {
      dims[axis] = dims[axis] << 8 | byte;
    }
  }
  return dims;
}

}  // namespace

IdxArray parse_idx(const Bytes& bytes, const std::string& name) {
  if (bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) {
    return parse_idx(gunzip(bytes, name), name);
  }
  IdxArray array{.dims = parse_header(bytes, name), .values = {}};
  const std::size_t header = 4 + 4 * array.dims.size();
  // Divided down instead of multiplied up: a product of hostile dims would overflow.
  std::size_t rest = bytes.size() - header;
  bool fits = true;
  for (const std::int64_t dim : array.dims) {
    const auto size = static_cast<std::size_t>(dim);
    fits = fits && size != 0 && rest % size == 0;
    if (fits) rest /= size;
  }
  if (!fits || rest != 1) {
    corrupt(
        "{}: must hold as many values as its dims [{}] say, got {}; it is cut short or damaged,"
        " fetch it again",
        name, fmt::join(array.dims, ","), bytes.size() - header);
  }
  array.values.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end());
  return array;
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    throw Error(ErrorCode::not_found, path.string() + ": can't be read");
  }
  return bytes;
}

}  // namespace backplane::models
