// Rows of cumsum.
#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row cumsum_row(const Shape& shape, std::int32_t axis, bool reverse, DType dtype = DType::f32) {
  return {.operation = Operation(op::Cumsum{axis, reverse}),
          .arguments = type_text(dtype) + dims_text(shape) + ", axis " + std::to_string(axis) +
                       (reverse ? ", reverse" : ""),
          .inputs = {{shape, dtype, whole(1, 4), reals(-1, 1)}},
          .outputs = {{shape, dtype}}};
}

// The gradient of a running sum is the one from the other end.
std::string adjoint_fault(Device device, const Shape& shape, std::int32_t axis) {
  Adjoint adjoint(device);
  const Tensor x = adjoint.integers(shape), dy = adjoint.integers(shape);
  const Tensor y = adjoint.run(Operation(op::Cumsum{axis, 0}), {x}, shape);
  const Tensor dx = adjoint.run(Operation(op::Cumsum{axis, 1}), {dy}, shape);
  return Adjoint::compare(y, dy, x, dx);
}

}  // namespace

void cumsum_rows(Suite& suite) {
  for (const bool reverse : {false, true}) {
    suite.add(cumsum_row({1}, 0, reverse));
    for (const std::int64_t length : {31, 32, 33}) {
      suite.add(cumsum_row({9, length}, 1, reverse));
      suite.add(cumsum_row({length, 9}, 0, reverse));
    }
    suite.add(cumsum_row({2, 3, 5, 7}, 1, reverse));
    suite.add(cumsum_row({3, 24001}, 1, reverse));
    suite.add(cumsum_row({9, 33}, 1, reverse, DType::f64));
    for (const DType half : {DType::f16, DType::bf16}) {
      suite.add(cumsum_row({9, 33}, 1, reverse, half));
    }
    for (const DType dtype : {DType::u8, DType::i32, DType::i64}) {
      Row row = cumsum_row({9, 33}, 1, reverse, dtype);
      row.classes = {DataClass::exact};
      suite.add(row);
    }
    for (const Shape& shape : empty_shapes) {
      Row none = cumsum_row(shape, 0, reverse);
      none.classes = {DataClass::special};
      none.trivial = true;
      suite.add(none);
    }
  }
  suite.check(DataClass::closed_form, "cumsum", "4x33x5, axis 1, adjoint", [](Device device) {
    return adjoint_fault(device, {4, 33, 5}, 1);
  });

  Row special = cumsum_row({3, 4}, 1, false);
  special.arguments += ", special values";
  special.inputs = {written({3, 4}, {1, NAN, 2, 3, INFINITY, 1, -INFINITY, 1, 1, 2, 3, 4})};
  special.answers = {{1, NAN, NAN, NAN, INFINITY, INFINITY, NAN, NAN, 1, 3, 6, 10}};
  suite.answer(DataClass::special, special);
  Row wraps = cumsum_row({3}, 0, true, DType::u8);
  wraps.arguments += ", that wraps";
  wraps.inputs = {written({3}, {100, 200, 100}, DType::u8)};
  wraps.answers = {{144, 44, 100}};
  suite.answer(DataClass::special, wraps);
}

}  // namespace conformance
