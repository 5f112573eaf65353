// Rows of normal.
#include "ops/ops.hpp"
#include "ops/random.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row normal_row(const Shape& shape, float mean, float deviation, const op::PhiloxScalars& start) {
  return {.operation = Operation(op::Normal{}, {start, mean, deviation}),
          .arguments = dims_text(shape) + ", mean " + std::to_string(mean) + ", deviation " +
                       std::to_string(deviation),
          .outputs = {{shape}},
          .classes = {DataClass::real}};
}

}  // namespace

void normal_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) {
    suite.add(normal_row(shape, 0, 1, somewhere));
    suite.add(normal_row(shape, -0.3f, 2.5f, somewhere));
  }
  for (const Shape& shape : empty_shapes) {
    Row row = normal_row(shape, 0, 1, somewhere);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  // Box and Muller's formula on Random123's published words.
  Row known = normal_row({2}, 0, 1, {});
  known.arguments += ", of Random123";
  known.answers = {{0.99113767909666095, -0.61760895965259544}};
  known.ulps = 1;
  suite.answer(DataClass::closed_form, known);
}

}  // namespace conformance
