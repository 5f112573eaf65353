// Rows of top_k. Its gradient is scatter_add.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Best {
  Shape shape;
  std::int32_t axis;
  std::int64_t count;
  bool largest = true;
};

const std::array bests{
    Best{{5}, 0, 5},          Best{{1}, 0, 1, false},      Best{{9, 33}, 1, 4},
    Best{{33, 9}, 0, 33},     Best{{9, 31}, 1, 31, false}, Best{{5, 7, 9}, 1, 3, false},
    Best{{2, 3, 4, 5}, 2, 4}, Best{{4, 1100}, 1, 5},       Best{{40, 1000}, 1, 2, false},
    Best{{3, 300}, 1, 300},
};

Row top_k_row(const Best& best, DType dtype = DType::f32) {
  Shape result = best.shape;
  result[static_cast<std::size_t>(best.axis)] = best.count;
  return {.operation = Operation(op::TopK{best.axis, best.largest ? 1u : 0u}),
          .arguments = type_text(dtype) + dims_text(best.shape) + ", axis " +
                       std::to_string(best.axis) + ", " + std::to_string(best.count) +
                       (best.largest ? " largest" : " smallest"),
          .inputs = {{best.shape, dtype, whole(1, 9), reals(-9, 9)}},  // few integers: many ties
          .outputs = {{result, dtype}, {result, DType::i64}}};
}

}  // namespace

void top_k_rows(Suite& suite) {
  for (const Best& best : bests) suite.add(top_k_row(best));
  for (const DType dtype : {DType::f64, DType::f16}) suite.add(top_k_row({{9, 33}, 1, 7}, dtype));
  for (const DType dtype : {DType::u8, DType::i32, DType::i64}) {
    Row row = top_k_row({{9, 33}, 1, 7, false}, dtype);
    row.classes = {DataClass::exact};
    suite.add(row);
  }
  for (const Best& best : {Best{{0, 4}, 1, 2}, Best{{3, 4}, 1, 0}, Best{{3, 0}, 1, 0}}) {
    Row row = top_k_row(best);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  // NaN is the largest, the first of equals comes first, -0 and +0 are equals.
  const std::vector<double> numbers{1, NAN, -0.0, INFINITY, 0, NAN, -INFINITY, 1};
  Row known = top_k_row({{8}, 0, 8});
  known.arguments += ", ties and NaN";
  known.inputs = {written({8}, numbers)};
  known.answers = {{NAN, NAN, INFINITY, 1, 1, -0.0, 0, -INFINITY}, {1, 5, 3, 0, 7, 2, 4, 6}};
  suite.answer(DataClass::special, known);
  known = top_k_row({{8}, 0, 7, false});
  known.arguments += ", ties and NaN";
  known.inputs = {written({8}, numbers)};
  known.answers = {{-INFINITY, -0.0, 0, 1, 1, INFINITY, NAN}, {6, 2, 4, 0, 7, 3, 1}};
  suite.answer(DataClass::special, known);
}

}  // namespace conformance
