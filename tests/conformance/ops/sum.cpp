// Rows of sum.
#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/reduction.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// The gradient of a sum is a copy of a repeated element.
std::string adjoint_fault(Device device, const Reduced& one) {
  Adjoint adjoint(device);
  const Tensor x = adjoint.integers(one.shape), dy = adjoint.integers(one.result());
  const Tensor y = adjoint.run(Operation(op::Sum{one.axes}), {x}, one.result());
  const Tensor dx = adjoint.run(Operation(op::Copy{}), {dy.expand(one.shape)}, one.shape);
  return Adjoint::compare(y, dy, x, dx);
}

}  // namespace

void sum_rows(Suite& suite) {
  for (const Reduced& one : reduced_shapes) {
    suite.add({.operation = Operation(op::Sum{one.axes}),
               .arguments = one.text(),
               .inputs = {{one.shape, DType::f32, whole(-3, 4)}},
               .outputs = {{one.result()}},
               .adds_to = 1});
  }
  const Reduced adjoint_shape{{4, 6, 8, 8}, 0b1101};
  suite.check(DataClass::closed_form, "sum", adjoint_shape.text() + ", adjoint",
              [=](Device device) { return adjoint_fault(device, adjoint_shape); });
  suite.add({.operation = Operation(op::Sum{2}),
             .arguments = "f64, 5x33, axes 1",
             .inputs = {{{5, 33}, DType::f64}},
             .outputs = {{{5, 1}, DType::f64}}});
  for (const DType dtype : {DType::i32, DType::i64}) {
    suite.add({.operation = Operation(op::Sum{2}),
               .arguments = type_text(dtype) + "5x33, axes 1",
               .inputs = {{{5, 33}, dtype, whole(-100, 120)}},
               .outputs = {{{5, 1}, dtype, whole(-9, 9)}},
               .classes = {DataClass::exact}});
  }
  suite.answer(DataClass::special, {.operation = Operation(op::Sum{2}),
                                    .arguments = "3x0, axes 1",
                                    .inputs = {{{3, 0}}},
                                    .outputs = {{{3, 1}}},
                                    .answers = {{0, 0, 0}}});
  suite.add({.operation = Operation(op::Sum{1}),
             .arguments = "3x0, axes 0",
             .inputs = {{{3, 0}}},
             .outputs = {{{1, 0}}},
             .classes = {DataClass::special},
             .trivial = true});
  suite.answer(DataClass::special, {.operation = Operation(op::Sum{2}),
                                    .arguments = "non-finite 4x3, axes 1",
                                    .inputs = {written({4, 3}, {1, NAN, 2, INFINITY, 1, 2, INFINITY,
                                                                -INFINITY, 0, -INFINITY, 1, 1})},
                                    .outputs = {{{4, 1}}},
                                    .answers = {{NAN, INFINITY, NAN, -INFINITY}}});
  suite.answer(DataClass::closed_form, {.operation = Operation(op::Sum{3}),
                                        .arguments = "of 1 to 6",
                                        .inputs = {written({2, 3}, {1, 2, 3, 4, 5, 6})},
                                        .outputs = {{{1, 1}}},
                                        .answers = {{21}}});
  suite.answer(DataClass::closed_form, {.operation = Operation(op::Sum{1}),
                                        .arguments = "of columns",
                                        .inputs = {written({2, 3}, {1, 2, 3, 4, 5, 6})},
                                        .outputs = {{{1, 3}}},
                                        .answers = {{5, 7, 9}}});
}

}  // namespace conformance
