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
}

}  // namespace conformance
