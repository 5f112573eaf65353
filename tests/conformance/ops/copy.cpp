// Rows of copy: every type to every type, and every layout to every layout.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr std::array all_types{DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,
                               DType::u8,  DType::i32, DType::i64, DType::u16};

Row copy_row(const Shape& shape, DType from, DType to) {
  const std::string types =
      std::string(to_string(from)) + " to " + std::string(to_string(to)) + ", ";
  return {.operation = Operation(op::Copy{}),
          .arguments = types + dims_text(shape),
          .inputs = {{shape, from, whole(0, 100), reals(-99, 99)}},
          .outputs = {{shape, to, whole(0, 100), reals(-99, 99)}}};
}

struct Converted {
  const char* what;
  DType from, to;
  std::vector<double> values, results;
};

// Float to float rounds to nearest even; float to integer truncates and saturates, NaN gives 0;
// integer to integer wraps.
const std::array conversions{
    Converted{"rounding",
              DType::f32,
              DType::f16,
              {1 + 0x1p-11, 1 + 0x3p-11, 65519, 65520, -1e-9},
              {1, 1 + 0x1p-9, 65504, INFINITY, -0.0}},
    Converted{"rounding",
              DType::f32,
              DType::bf16,
              {1 + 0x1p-8, 1 + 0x3p-8, NAN, INFINITY},
              {1, 1 + 0x1p-6, NAN, INFINITY}},
    Converted{"rounding",
              DType::f64,
              DType::f32,
              {1 + 0x1p-24, 1 + 0x3p-24, 1e300, NAN},
              {1, 1 + 0x1p-22, INFINITY, NAN}},
    Converted{"saturation",
              DType::f32,
              DType::u8,
              {-1, 255.9, 256, 1e20, -INFINITY, NAN, 3.99},
              {0, 255, 255, 255, 0, 0, 3}},
    Converted{"saturation",
              DType::f32,
              DType::i8,
              {-128.9, -129, 127.5, INFINITY, NAN, -0.9},
              {-128, -128, 127, 127, 0, 0}},
    Converted{"saturation",
              DType::f32,
              DType::i32,
              {3e9, -3e9, NAN, -1.9, INFINITY},
              {2147483647, -2147483648.0, 0, -1, 2147483647}},
    Converted{"saturation", DType::f64, DType::u16, {70000, -1, 65535.5}, {65535, 0, 65535}},
    Converted{"wrapping", DType::i32, DType::u8, {300, -1, 256, 77}, {44, 255, 0, 77}},
    Converted{"wrapping", DType::i64, DType::i8, {200, -200, 128}, {-56, 56, -128}},
    Converted{"wrapping", DType::i64, DType::i32, {4294967297.0, -4294967295.0, 5}, {1, 1, 5}},
    Converted{"special values",
              DType::f32,
              DType::f32,
              {NAN, -0.0, INFINITY, -INFINITY, 0x1p-149},
              {NAN, -0.0, INFINITY, -INFINITY, 0x1p-149}},
};

}  // namespace

void copy_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) {
    Row row = copy_row(shape, DType::f32, DType::f32);
    row.adds_to = 1;
    suite.add(row);
  }
  suite.add(streaming(copy_row({}, DType::f32, DType::f32)));
  for (const Shape& shape : empty_shapes) {
    Row row = copy_row(shape, DType::f32, DType::f32);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  for (const DType from : all_types) {
    for (const DType to : all_types) {
      if (from == DType::f32 && to == DType::f32) continue;
      Row row = copy_row({5, 33}, from, to);
      if (!is_floating(from)) row.classes = {DataClass::exact};
      row.layouts = {Layout::contiguous, Layout::transposed, Layout::sliced};
      suite.add(row);
    }
  }
  for (const Converted& one : conversions) {
    const Shape shape{67};
    Row row = copy_row(shape, one.from, one.to);
    row.arguments += std::string(", ") + one.what;
    row.inputs = {written(shape, one.values, one.from)};
    row.answers = {repeated(one.results, 67)};
    suite.answer(DataClass::special, row);
  }
}

}  // namespace conformance
