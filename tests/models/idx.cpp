// IDX files: what is read, and each way in which one can be wrong.
#include "models/mnist/idx.hpp"

#include <doctest/doctest.h>

#include "backplane/error.hpp"
#include "files.hpp"

using namespace backplane;
using namespace backplane::models;
using namespace backplane::test;

namespace {

IdxArray parse(const Bytes& bytes) {
  return parse_idx(bytes, "f.idx");
}

void check_corrupt(const Bytes& bytes, const std::string& part) {
  CAPTURE(part);
  CHECK_THROWS_WITH_AS((void)parse(bytes), doctest::Contains(part.c_str()), Error);
  try {
    (void)parse(bytes);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::data_corrupt);
  }
}

}  // namespace

TEST_CASE("idx: dims and values, plain or compressed") {
  const Bytes values = {1, 2, 3, 4, 5, 6};
  const Bytes plain = idx_file({3, 2}, values);
  for (const Bytes& file : {plain, gzip(plain)}) {
    const IdxArray array = parse(file);
    CHECK(array.dims == std::vector<std::int64_t>{3, 2});
    CHECK(array.values == values);
  }
  const Bytes many(300000, 7);
  CHECK(parse(gzip(idx_file({300000}, many))).values == many);
}

TEST_CASE("idx: a file that is no IDX file of bytes") {
  check_corrupt({}, "f.idx: is cut short, 0 bytes hold no IDX header");
  check_corrupt({0, 0, 8}, "f.idx: is cut short, 3 bytes hold no IDX header");
  check_corrupt({0, 0, 8, 1, 0, 0}, "f.idx: is cut short, 6 bytes hold no IDX header of rank 1");
  const std::string rule =
      "f.idx: must be an IDX file of bytes (magic 00 00 08 and the rank), got ";
  check_corrupt({'P', 'N', 'G', '!', 0, 0}, rule + "50 4e 47 21");
  check_corrupt({0, 0, 0x0d, 1, 0, 0, 0, 1, 0, 0, 0, 0}, rule + "00 00 0d 01");  // floats
  check_corrupt({0, 0, 8, 0}, rule + "00 00 08 00");
}

TEST_CASE("idx: a file whose length is not what its dims say") {
  const std::string rule = "f.idx: must hold as many values as its dims [3,2] say, got ";
  check_corrupt(idx_file({3, 2}, Bytes(5)), rule + "5");
  check_corrupt(idx_file({3, 2}, Bytes(7)), rule + "7");
  check_corrupt(idx_file({3, 2}, Bytes(12)), rule + "12");
  check_corrupt(idx_file({3, 2}, {}), rule + "0");
  check_corrupt(gzip(idx_file({3, 2}, Bytes(5))), rule + "5");
  check_corrupt(idx_file({0x80000000, 0x80000000, 4}, {}), "as its dims [2147483648,2147483648,4]");
  check_corrupt(idx_file({0, 0}, Bytes(1)), "as its dims [0,0] say, got 1");
}

TEST_CASE("idx: a compressed file that is cut short, damaged or has something after it") {
  Bytes values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * i >> 3);
  const Bytes whole = gzip(idx_file({5000}, values));

  for (const std::size_t keep :
       {std::size_t{2}, std::size_t{12}, whole.size() / 2, whole.size() - 8, whole.size() - 1}) {
    check_corrupt(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(keep)),
                  "f.idx: is cut short, its compressed data end after " + std::to_string(keep) +
                      " bytes; fetch it again");
  }
  Bytes flipped = whole;
  flipped[whole.size() / 2] ^= 0x10;
  check_corrupt(flipped, "f.idx: is damaged, zlib says '");
  Bytes wrong_sum = whole;
  wrong_sum[whole.size() - 6] ^= 1;
  check_corrupt(wrong_sum, "f.idx: is damaged, zlib says 'incorrect data check'");
  Bytes longer = whole;
  longer.insert(longer.end(), {1, 2, 3});
  check_corrupt(longer, "f.idx: has 3 bytes after its compressed data; fetch it again");
}

TEST_CASE("idx: a file that isn't there") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "none";
  CHECK_THROWS_WITH_AS((void)read_file(path), (path.string() + ": can't be read").c_str(), Error);
  directory.write("some", {1, 2, 255});
  CHECK(read_file(directory.path() / "some") == Bytes{1, 2, 255});
}
