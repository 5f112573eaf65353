// Rows of add.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

void add_rows(Suite& suite) {
  const Operation add(op::Add{});
  for (const Shape& shape : elementwise_shapes) {
    suite.add({.operation = add,
               .arguments = dims_text(shape),
               .inputs = {{shape}, {shape}},
               .outputs = {{shape}},
               .aliases = {0}});
  }
  suite.add(
      streaming({.operation = add, .arguments = "", .inputs = {{{}}, {{}}}, .outputs = {{{}}}}));
  for (const Shape& shape : empty_shapes) {
    suite.add({.operation = add,
               .arguments = dims_text(shape),
               .inputs = {{shape}, {shape}},
               .outputs = {{shape}},
               .classes = {DataClass::special},
               .trivial = true});
  }
  suite.add({.operation = add,
             .arguments = "f64, 5x33",
             .inputs = {{{5, 33}, DType::f64}, {{5, 33}, DType::f64}},
             .outputs = {{{5, 33}, DType::f64}}});
  for (const DType dtype : {DType::u8, DType::i32, DType::i64}) {
    const Argument operand{{5, 33}, dtype, whole(0, 100)};
    suite.add({.operation = add,
               .arguments = type_text(dtype) + "5x33",
               .inputs = {operand, operand},
               .outputs = {operand},
               .classes = {DataClass::exact}});
  }
  // Integers wrap; NaN, infinities and signed zeros follow IEEE 754.
  suite.answer(DataClass::special, {.operation = add,
                                    .arguments = "u8 that wraps",
                                    .inputs = {written({3}, {250, 255, 1}, DType::u8),
                                               written({3}, {10, 1, 1}, DType::u8)},
                                    .outputs = {{{3}, DType::u8}},
                                    .answers = {{4, 0, 2}}});
  suite.answer(DataClass::special,
               {.operation = add,
                .arguments = "non-finite 67",
                .inputs = {written({67}, {NAN, INFINITY, INFINITY, -0.0, 0.0, -INFINITY}),
                           written({67}, {1, -INFINITY, 1, -0.0, -0.0, 2})},
                .outputs = {{{67}}},
                .answers = {repeated({NAN, NAN, INFINITY, -0.0, 0.0, -INFINITY}, 67)}});
}

}  // namespace conformance
