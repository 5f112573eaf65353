// Rows of mul.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

void mul_rows(Suite& suite) {
  const Operation mul(op::Mul{});
  for (const Shape& shape : elementwise_shapes) {
    suite.add({.operation = mul,
               .arguments = dims_text(shape),
               .inputs = {{shape, DType::f32, whole(1, 9)}, {shape, DType::f32, whole(-9, -1)}},
               .outputs = {{shape}},
               .aliases = {0}});
  }
  for (const Shape& shape : empty_shapes) {
    suite.add({.operation = mul,
               .arguments = dims_text(shape),
               .inputs = {{shape}, {shape}},
               .outputs = {{shape}},
               .classes = {DataClass::special},
               .trivial = true});
  }
  suite.add({.operation = mul,
             .arguments = "f64, 5x33",
             .inputs = {{{5, 33}, DType::f64}, {{5, 33}, DType::f64}},
             .outputs = {{{5, 33}, DType::f64}}});
  for (const DType dtype : {DType::u8, DType::i32, DType::i64}) {
    const Argument operand{{5, 33}, dtype, whole(0, 15)};
    suite.add({.operation = mul,
               .arguments = type_text(dtype) + "5x33",
               .inputs = {operand, operand},
               .outputs = {operand},
               .classes = {DataClass::exact}});
  }
  suite.answer(DataClass::special, {.operation = mul,
                                    .arguments = "i32 that wraps",
                                    .inputs = {written({2}, {65536, -65536}, DType::i32),
                                               written({2}, {65537, 32768}, DType::i32)},
                                    .outputs = {{{2}, DType::i32}},
                                    .answers = {{65536, -2147483648.0}}});
  suite.answer(DataClass::special,
               {.operation = mul,
                .arguments = "non-finite 67",
                .inputs = {written({67}, {NAN, INFINITY, 0, -0.0, -3, 0x1p127}),
                           written({67}, {0, 0, -2, -2, INFINITY, 4})},
                .outputs = {{{67}}},
                .answers = {repeated({NAN, NAN, -0.0, 0, -INFINITY, INFINITY}, 67)}});
}

}  // namespace conformance
