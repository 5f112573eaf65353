// Rows of arg_max and arg_min.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Operation position(bool largest, std::int32_t axis) {
  return largest ? Operation(op::ArgMax{axis}) : Operation(op::ArgMin{axis});
}

Row position_row(bool largest, const Shape& shape, std::int32_t axis, DType dtype = DType::f32) {
  Shape result = shape;
  result[static_cast<std::size_t>(axis)] = 1;
  return {.operation = position(largest, axis),
          .arguments = type_text(dtype) + dims_text(shape) + ", axis " + std::to_string(axis),
          .inputs = {{shape, dtype, whole(0, 6)}},  // few values: many ties
          .outputs = {{result, DType::i64}},
          .trivial = shape[static_cast<std::size_t>(axis)] == 1};
}

void add_rows(Suite& suite, bool largest) {
  const auto row_of = [largest](const Shape& shape, std::int32_t axis, DType dtype = DType::f32) {
    return position_row(largest, shape, axis, dtype);
  };
  suite.add(row_of({3, 1}, 1));
  suite.add(row_of({64, 10}, 1));
  for (const std::int64_t length : {31, 32, 33}) {
    suite.add(row_of({9, length}, 1));
    suite.add(row_of({length, 9}, 0));
  }
  suite.add(row_of({5, 7, 9}, 1));
  suite.add(row_of({4, 24001}, 1));
  suite.add(row_of({9, 33}, 1, DType::f64));
  for (const DType dtype : {DType::u8, DType::i32, DType::i64}) {
    Row row = row_of({9, 33}, 1, dtype);
    row.classes = {DataClass::exact};
    suite.add(row);
  }
  Row negative = row_of({9, 33}, 1);  // of which none may lose against a 0 that isn't there
  negative.arguments += ", negative";
  negative.inputs[0].exact = whole(-9, -3);
  negative.inputs[0].real = reals(-9, -3);
  suite.add(negative);
  Row none = row_of({0, 10}, 1);
  none.classes = {DataClass::special};
  none.trivial = true;
  suite.add(none);
}

// The first of equals, the first NaN; -0 and +0 are equals. For arg_min, with all signs changed.
void add_special_rows(Suite& suite, bool largest) {
  const auto signs = [largest](std::vector<double> x) {
    for (double& value : x) value = largest ? value : -value;
    return x;
  };
  Row special = position_row(largest, {5, 4}, 1);
  special.arguments += ", ties and NaN";
  special.inputs = {written(
      {5, 4}, signs({1, 3,   3,         2,         -0.0,      0,         0, -1, INFINITY, NAN,
                     1, NAN, -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0, 0,  0,        1}))};
  special.answers = {{1, 0, 1, 0, 3}};
  suite.answer(DataClass::special, special);

  // A NaN in a vector body and in its tail, behind and before an infinity.
  Row late = position_row(largest, {2, 67}, 1);
  late.arguments += ", NaN at 65 and 3";
  std::vector<double> x(2 * 67, 1);
  x[10] = INFINITY;
  x[65] = NAN;
  x[67 + 3] = NAN;
  x[67 + 40] = NAN;
  late.inputs = {written({2, 67}, signs(x))};
  late.answers = {{65, 3}};
  suite.answer(DataClass::special, late);
}

}  // namespace

void arg_max_rows(Suite& suite) {
  for (const bool largest : {true, false}) {
    add_rows(suite, largest);
    add_special_rows(suite, largest);
  }
  // The least integer has no negative.
  Row least = position_row(false, {3}, 0, DType::i64);
  least.arguments += ", the least one";
  least.inputs = {written({3}, {5, -0x1p63, 7}, DType::i64)};
  least.answers = {{1}};
  suite.answer(DataClass::special, least);
}

}  // namespace conformance
