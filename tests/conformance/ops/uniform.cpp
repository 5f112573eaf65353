// Rows of uniform.
#include "ops/ops.hpp"
#include "ops/random.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row uniform_row(const Shape& shape, float low, float high, const op::PhiloxScalars& start) {
  return {.operation = Operation(op::Uniform{}, {start, low, high}),
          .arguments =
              dims_text(shape) + ", from " + std::to_string(low) + " to " + std::to_string(high),
          .outputs = {{shape}},
          .classes = {DataClass::exact}};
}

}  // namespace

void uniform_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) {
    suite.add(uniform_row(shape, 0, 1, somewhere));
    suite.add(uniform_row(shape, -0.3f, 0.7f, somewhere));
  }
  for (const Shape& shape : empty_shapes) {
    Row row = uniform_row(shape, 0, 1, somewhere);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  // The published answer of Philox4x32-10 for key 0 and counter 0 (Random123's kat_vectors).
  Row known = uniform_row({4}, 0, 1, {});
  known.arguments += ", of Random123";
  known.answers = {{0x6627E8p-24, 0xE169C5p-24, 0xBC57ACp-24, 0x9B00DBp-24}};
  suite.answer(DataClass::closed_form, known);
}

}  // namespace conformance
