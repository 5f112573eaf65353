// Rows of affine.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row affine_row(const Shape& shape, double scale, double shift, std::string factors,
               std::vector<DataClass> classes) {
  return {.operation = Operation(op::Affine{}, {scale, shift}),
          .arguments = dims_text(shape) + ", " + std::move(factors),
          .inputs = {{shape}},
          .outputs = {{shape}},
          .classes = std::move(classes),
          .aliases = {0}};
}

// With whole numbers they wrap; with others the result is converted, by the rules of copy.
void integer_rows(Suite& suite) {
  for (const DType type : {DType::i8, DType::u8, DType::i32, DType::i64}) {
    const Argument x{{5, 33}, type, whole(0, 40)};
    suite.add({.operation = Operation(op::Affine{}, {3, 1}),
               .arguments = type_text(type) + "5x33, 3 x + 1",
               .inputs = {x},
               .outputs = {x},
               .classes = {DataClass::exact},
               .aliases = {0}});
  }
  const auto answer = [&](const char* text, double scale, double shift, DType type,
                          std::vector<double> from, std::vector<double> to) {
    const Shape shape{static_cast<std::int64_t>(from.size())};
    suite.answer(DataClass::special, {.operation = Operation(op::Affine{}, {scale, shift}),
                                      .arguments = text,
                                      .inputs = {written(shape, std::move(from), type)},
                                      .outputs = {{shape, type}},
                                      .answers = {std::move(to)}});
  };
  answer("u8 that wraps, 2 x + 10", 2, 10, DType::u8, {0, 122, 123, 255}, {10, 254, 0, 8});
  answer("u8 that wraps, -x + 3", -1, 3, DType::u8, {0, 3, 4, 255}, {3, 0, 255, 4});
  answer("i64 that wraps, 2^40 x", 0x1p40, 0, DType::i64, {1, -3, 0x1p24}, {0x1p40, -0x3p40, 0});
  answer("i32, x / 2", 0.5, 0, DType::i32, {-3, 3, 4}, {-1, 1, 2});
  answer("i8 that saturates, 1.5 x", 1.5, 0, DType::i8, {-100, 5, 100}, {-128, 7, 127});
}

}  // namespace

void affine_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) {
    suite.add(affine_row(shape, 3, 1, "3 x + 1", {DataClass::exact}));
    suite.add(affine_row(shape, 0.1, -0.7, "0.1 x - 0.7", {DataClass::real}));
  }
  suite.add(affine_row({5, 33}, 1, 0.5, "x + 0.5", {DataClass::exact, DataClass::real}));
  for (const Shape& shape : empty_shapes) {
    Row row = affine_row(shape, 3, 1, "3 x + 1", {DataClass::special});
    row.trivial = true;
    suite.add(row);
  }
  suite.answer(DataClass::special,
               {.operation = Operation(op::Affine{}, {2, 0}),
                .arguments = "non-finite 67, 2 x",
                .inputs = {written({67}, {NAN, INFINITY, -INFINITY, 0x1p127, 3})},
                .outputs = {{{67}}},
                .answers = {repeated({NAN, INFINITY, -INFINITY, INFINITY, 6}, 67)}});
  integer_rows(suite);
}

}  // namespace conformance
