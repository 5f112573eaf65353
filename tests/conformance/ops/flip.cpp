// Rows of flip.
#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row flip_row(const Shape& shape, std::uint32_t axes, DType dtype = DType::f32) {
  return {.operation = Operation(op::Flip{axes}),
          .arguments = type_text(dtype) + dims_text(shape) + ", axes " + std::to_string(axes),
          .inputs = {{shape, dtype, whole(0, 100), reals(-99, 99)}},
          .outputs = {{shape, dtype}}};
}

// It is its own adjoint.
std::string adjoint_fault(Device device) {
  Adjoint adjoint(device);
  const Shape shape{4, 5, 6};
  const Operation flip(op::Flip{0b101});
  const Tensor x = adjoint.integers(shape), dy = adjoint.integers(shape);
  return Adjoint::compare(adjoint.run(flip, {x}, shape), dy, x, adjoint.run(flip, {dy}, shape));
}

}  // namespace

void flip_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) {
    if (shape.rank() == 0) continue;
    suite.add(flip_row(shape, 1));
    suite.add(flip_row(shape, 1u << (shape.rank() - 1)));
    suite.add(flip_row(shape, (1u << shape.rank()) - 1));
  }
  suite.add(flip_row({3, 5, 7}, 0b101));
  suite.add(flip_row({3, 5, 7}, 0));
  for (const DType dtype : {DType::f64, DType::f16, DType::u8, DType::i32, DType::i64}) {
    Row row = flip_row({5, 33}, 3, dtype);
    if (!is_floating(dtype)) row.classes = {DataClass::exact};
    suite.add(row);
  }
  for (const Shape& shape : empty_shapes) {
    Row row = flip_row(shape, 1);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  suite.check(DataClass::closed_form, "flip", "4x5x6, adjoint", adjoint_fault);
  Row known = flip_row({2, 3}, 2);
  known.arguments += ", by hand";
  known.inputs = {written({2, 3}, {1, NAN, -0.0, 4, 5, INFINITY})};
  known.answers = {{-0.0, NAN, 1, INFINITY, 5, 4}};
  suite.answer(DataClass::special, known);
}

}  // namespace conformance
