// Rows of fill.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// The value is converted as copy does.
struct Converted {
  DType dtype;
  double value, result;
};

constexpr std::array conversions{
    Converted{DType::f32, -0.0, -0.0}, Converted{DType::f32, 1e300, INFINITY},
    Converted{DType::f32, NAN, NAN},   Converted{DType::f64, 0.1, 0.1},
    Converted{DType::f16, 1.5, 1.5},   Converted{DType::bf16, -2.5, -2.5},
    Converted{DType::u8, 300, 255},    Converted{DType::u8, -1, 0},
    Converted{DType::i8, -129, -128},  Converted{DType::u16, 65535.9, 65535},
    Converted{DType::i32, -2.9, -2},   Converted{DType::i32, 1e30, 2147483647},
    Converted{DType::i64, NAN, 0},     Converted{DType::i64, -7, -7},
};

}  // namespace

void fill_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) {
    suite.add({.operation = Operation(op::Fill{}, {-2.5}),
               .arguments = dims_text(shape) + ", -2.5",
               .outputs = {{shape}},
               .classes = {DataClass::exact}});
  }
  for (const Shape& shape : empty_shapes) {
    suite.add({.operation = Operation(op::Fill{}, {1}),
               .arguments = dims_text(shape) + ", 1",
               .outputs = {{shape}},
               .classes = {DataClass::special},
               .trivial = true});
  }
  for (const Converted& one : conversions) {
    suite.answer(DataClass::special, {.operation = Operation(op::Fill{}, {one.value}),
                                      .arguments = std::string(to_string(one.dtype)) + " 33, " +
                                                   std::to_string(one.value),
                                      .outputs = {{{33}, one.dtype}},
                                      .answers = {repeated({one.result}, 33)}});
  }
}

}  // namespace conformance
