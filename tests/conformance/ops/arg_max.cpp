// Rows of arg_max.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row arg_max_row(const Shape& shape, std::int32_t axis, DType dtype = DType::f32) {
  Shape result = shape;
  result[static_cast<std::size_t>(axis)] = 1;
  return {.operation = Operation(op::ArgMax{axis}),
          .arguments = type_text(dtype) + dims_text(shape) + ", axis " + std::to_string(axis),
          .inputs = {{shape, dtype, whole(0, 6)}},  // few values: many ties
          .outputs = {{result, DType::i64}},
          .trivial = shape[static_cast<std::size_t>(axis)] == 1};
}

}  // namespace

void arg_max_rows(Suite& suite) {
  suite.add(arg_max_row({3, 1}, 1));
  suite.add(arg_max_row({64, 10}, 1));
  for (const std::int64_t length : {31, 32, 33}) {
    suite.add(arg_max_row({9, length}, 1));
    suite.add(arg_max_row({length, 9}, 0));
  }
  suite.add(arg_max_row({5, 7, 9}, 1));
  suite.add(arg_max_row({4, 24001}, 1));
  suite.add(arg_max_row({9, 33}, 1, DType::f64));
  for (const DType dtype : {DType::u8, DType::i32, DType::i64}) {
    Row row = arg_max_row({9, 33}, 1, dtype);
    row.classes = {DataClass::exact};
    suite.add(row);
  }
  Row none = arg_max_row({0, 10}, 1);
  none.classes = {DataClass::special};
  none.trivial = true;
  suite.add(none);

  // The first of equals, the first NaN; -0 and +0 are equals.
  Row special = arg_max_row({5, 4}, 1);
  special.arguments += ", ties and NaN";
  special.inputs = {
      written({5, 4}, {1, 3,   3,         2,         -0.0,      0,         0, -1, INFINITY, NAN,
                       1, NAN, -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0, 0,  0,        1})};
  special.answers = {{1, 0, 1, 0, 3}};
  suite.answer(DataClass::special, special);

  // A NaN in a vector body and in its tail, behind and before an infinity.
  Row late = arg_max_row({2, 67}, 1);
  late.arguments += ", NaN at 65 and 3";
  std::vector<double> x(2 * 67, 1);
  x[10] = INFINITY;
  x[65] = NAN;
  x[67 + 3] = NAN;
  x[67 + 40] = NAN;
  late.inputs = {written({2, 67}, x)};
  late.answers = {{65, 3}};
  suite.answer(DataClass::special, late);
}

}  // namespace conformance
