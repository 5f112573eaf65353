// Rows of normalize.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

const std::array shapes{Shape{1, 1},       Shape{3, 2},        Shape{2, 3, 31},
                        Shape{2, 3, 5, 7}, Shape{2, 33, 3, 3}, Shape{8, 1, 28, 28}};

Row normalize_row(const Shape& shape) {
  const Shape channels{shape[1]};
  return {.operation = Operation(op::Normalize{}),
          .arguments = dims_text(shape),
          .inputs = {{shape, DType::u8, whole(0, 255), whole(0, 255)},
                     {channels, DType::f32, reals(0.1, 0.9), reals(0.1, 0.9)},
                     {channels, DType::f32, reals(0.1, 0.9), reals(0.1, 0.9)}},
          .outputs = {{shape}},
          .classes = {DataClass::exact}};  // rounded once: the same bits for any numbers
}

}  // namespace

void normalize_rows(Suite& suite) {
  for (const Shape& shape : shapes) suite.add(normalize_row(shape));
  Row none = normalize_row({0, 3, 4, 4});
  none.classes = {DataClass::special};
  none.trivial = true;
  suite.add(none);

  Row known = normalize_row({1, 2, 2});
  known.arguments += ", by hand";
  known.inputs = {written({1, 2, 2}, {0, 255, 51, 255}, DType::u8), written({2}, {0.5, 1}),
                  written({2}, {0.25, 0.5})};
  known.answers = {{-2, 2, -1.6, 0}};
  suite.answer(DataClass::closed_form, known);
}

}  // namespace conformance
