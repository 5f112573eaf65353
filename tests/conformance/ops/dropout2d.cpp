// Rows of dropout2d.
#include "ops/ops.hpp"
#include "ops/random.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

const std::array shapes{Shape{3, 31, 2, 3}, Shape{3, 32, 3, 3}, Shape{3, 33, 1, 5},
                        Shape{4, 64, 12, 12}};

Row dropout2d_row(const Shape& shape, float p, const char* p_text) {
  return {.operation = Operation(op::Dropout2d{p}, somewhere),
          .arguments = dims_text(shape) + ", p " + p_text,
          .inputs = {{shape, DType::f32, whole(1, 4)}},
          .outputs = {{shape}},
          .aliases = {0}};
}

}  // namespace

void dropout2d_rows(Suite& suite) {
  for (const Shape& shape : shapes) {
    suite.add(dropout2d_row(shape, 0.5f, "0.5"));
    Row rounded = dropout2d_row(shape, 0.25f, "0.25");
    rounded.classes = {DataClass::real};
    suite.add(rounded);
  }
  Row empty = dropout2d_row({0, 5, 2, 2}, 0.5f, "0.5");
  empty.classes = {DataClass::special};
  empty.trivial = true;
  suite.add(empty);
  Row special = dropout2d_row({2, 35, 2, 2}, 0.5f, "0.5");
  special.arguments += ", special values";
  special.inputs = {written({2, 35, 2, 2}, {NAN, INFINITY, -INFINITY, -0.0, -1})};
  special.classes = {DataClass::special};
  suite.add(special);
}

}  // namespace conformance
