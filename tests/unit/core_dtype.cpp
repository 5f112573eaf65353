// Element types and shapes.
#include "backplane/dtype.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "core_support.hpp"

using namespace backplane;
using backplane::test::error_of;

TEST_CASE("dtype: sizes, names and kinds") {
  struct Row {
    DType type;
    std::size_t size;
    const char* name;
    bool floating;
  };
  for (const Row& row : {Row{DType::f32, 4, "f32", true}, Row{DType::f64, 8, "f64", true},
                         Row{DType::f16, 2, "f16", true}, Row{DType::bf16, 2, "bf16", true},
                         Row{DType::i8, 1, "i8", false}, Row{DType::u8, 1, "u8", false},
                         Row{DType::i32, 4, "i32", false}, Row{DType::i64, 8, "i64", false},
                         Row{DType::u16, 2, "u16", false}}) {
    CHECK(size_of(row.type) == row.size);
    CHECK(to_string(row.type) == row.name);
    CHECK(is_floating(row.type) == row.floating);
  }
  CHECK(to_string(static_cast<DType>(77)) == "unknown");
  CHECK(error_of([] { return size_of(static_cast<DType>(77)); }) ==
        "invalid_argument: size_of: no element type has the number 77");
}

TEST_CASE("dtype: of C++ types") {
  CHECK(dtype_of<float> == DType::f32);
  CHECK(dtype_of<double> == DType::f64);
  CHECK(dtype_of<std::int8_t> == DType::i8);
  CHECK(dtype_of<std::uint8_t> == DType::u8);
  CHECK(dtype_of<std::uint16_t> == DType::u16);
  CHECK(dtype_of<std::int32_t> == DType::i32);
  CHECK(dtype_of<std::int64_t> == DType::i64);
}

TEST_CASE("shape: rank 0 to 8") {
  CHECK(Shape{}.rank() == 0);
  CHECK(Shape{}.count() == 1);
  CHECK(to_string(Shape{}) == "[]");
  const Shape widest{1, 2, 1, 2, 1, 2, 1, 2};
  CHECK(widest.rank() == 8);
  CHECK(widest.count() == 16);
  CHECK(to_string(Shape{2, 0, 3}) == "[2,0,3]");
  CHECK(Shape{2, 0, 3}.count() == 0);
  CHECK(Shape{1, 2} != Shape{1, 2, 1});
  CHECK(error_of([] { return Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; }) ==
        "invalid_argument: shape: at most 8 axes are possible");
}

TEST_CASE("shape: a count that no number holds is the largest one, or 0 with an empty axis") {
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK(Shape{big, big}.count() == std::numeric_limits<std::int64_t>::max());
  CHECK(Shape{big, big, 0}.count() == 0);
}

TEST_CASE("shape: axes count from either end") {
  const Shape shape{2, 3, 4};
  CHECK(shape.axis(0, "test") == 0);
  CHECK(shape.axis(-1, "test") == 2);
  CHECK(shape.axis(-3, "test") == 0);
  CHECK(error_of([&] { return shape.axis(3, "sum"); }) ==
        "out_of_range: sum: axis 3 is outside [-3, 3) of shape [2,3,4]");
  CHECK(error_of([&] { return shape.axis(-4, "sum"); }) ==
        "out_of_range: sum: axis -4 is outside [-3, 3) of shape [2,3,4]");
}

TEST_CASE("shape: row-major strides") {
  CHECK(row_major({}) == Strides{});
  CHECK(row_major({2, 3, 4}) == Strides{12, 4, 1});
  CHECK(row_major({2, 0, 4}) == Strides{4, 4, 1});
}

TEST_CASE("error: names of the codes") {
  CHECK(to_string(ErrorCode::invalid_argument) == "invalid_argument");
  CHECK(to_string(ErrorCode::device_lost) == "device_lost");
  CHECK(to_string(static_cast<ErrorCode>(99)) == "unknown");
}
