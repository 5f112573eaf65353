// Rows of relu and its gradient.
#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// For a given mask the operation is linear.
std::string adjoint_fault(Device device) {
  Adjoint adjoint(device);
  const Shape shape{5, 67};
  const Tensor x = adjoint.integers(shape), dy = adjoint.integers(shape);
  const Tensor y = adjoint.run(Operation(op::Relu{}), {x}, shape);
  const Tensor dx = adjoint.run(Operation(op::ReluBackward{}), {dy, y}, shape);
  return Adjoint::compare(y, dy, x, dx);
}

}  // namespace

void relu_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) {
    // A single element must not be one that the mask makes 0.
    const bool single = shape.count() == 1;
    const Argument any{shape};
    const Argument y{shape, DType::f32, whole(single ? 1 : 0, 2), reals(single ? 0 : -1, 1)};
    suite.add({.operation = Operation(op::Relu{}),
               .arguments = dims_text(shape),
               .inputs = {single ? y : any},
               .outputs = {any},
               .aliases = {0}});
    suite.add({.operation = Operation(op::ReluBackward{}),
               .arguments = dims_text(shape),
               .inputs = {{shape, DType::f32, whole(1, 4)}, y},
               .outputs = {any},
               .aliases = {0}});
  }
  suite.add(streaming(
      {.operation = Operation(op::Relu{}), .arguments = "", .inputs = {{{}}}, .outputs = {{{}}}}));
  suite.check(DataClass::closed_form, "relu_backward", "5x67, adjoint", adjoint_fault);
  for (const Shape& shape : empty_shapes) {
    suite.add({.operation = Operation(op::Relu{}),
               .arguments = dims_text(shape),
               .inputs = {{shape}},
               .outputs = {{shape}},
               .classes = {DataClass::special},
               .trivial = true});
  }
  suite.add({.operation = Operation(op::Relu{}),
             .arguments = "f64, 5x33",
             .inputs = {{{5, 33}, DType::f64}},
             .outputs = {{{5, 33}, DType::f64}}});
  suite.answer(DataClass::special,
               {.operation = Operation(op::Relu{}),
                .arguments = "special values 67",
                .inputs = {written({67}, {NAN, -0.0, 0, INFINITY, -INFINITY, -NAN, 0x1p-140, -1})},
                .outputs = {{{67}}},
                .answers = {repeated({NAN, 0, 0, INFINITY, 0, NAN, 0x1p-140, 0}, 67)}});
  // What isn't y <= 0 passes, a NaN included; what is masked is +0, whatever dy is.
  suite.answer(DataClass::special, {.operation = Operation(op::ReluBackward{}),
                                    .arguments = "special values 67",
                                    .inputs = {written({67}, {5, -5, NAN, NAN, INFINITY, 3, -0.0}),
                                               written({67}, {NAN, -0.0, 0, 1, 0, 0x1p-140, 2})},
                                    .outputs = {{{67}}},
                                    .answers = {repeated({5, 0, 0, NAN, 0, 3, -0.0}, 67)}});
}

}  // namespace conformance
