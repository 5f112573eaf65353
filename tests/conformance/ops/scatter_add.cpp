// Rows of scatter_add. Its adjoint identity is gather's, in gather.cpp.
#include "ops/index.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row scatter_add_row(const Indexed& one, DType dtype = DType::f32) {
  const Argument source{one.index(), dtype, whole(0, 9), reals(-1, 1)};
  return {.operation = Operation(op::ScatterAdd{one.axis}),
          .arguments = type_text(dtype) + one.text(),
          .inputs = {{one.shape, dtype, whole(0, 9), reals(-1, 1)}, one.index_argument(), source},
          .outputs = {{one.shape, dtype}}};
}

}  // namespace

void scatter_add_rows(Suite& suite) {
  for (const Indexed& one : indexed_shapes) suite.add(scatter_add_row(one));
  const Indexed some{{5, 33}, 1, 40};
  for (const DType dtype : {DType::f64, DType::f16}) suite.add(scatter_add_row(some, dtype));
  for (const DType dtype : {DType::u8, DType::i32, DType::i64}) {
    Row row = scatter_add_row(some, dtype);
    row.classes = {DataClass::exact};
    suite.add(row);
  }
  for (const Indexed& one : {Indexed{{3, 4}, 1, 0}, Indexed{{0, 4}, 1, 2}}) {
    Row row = scatter_add_row(one);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  suite.check(DataClass::special, "scatter_add", "index out of range", [](Device device) {
    const Tensor source = host_tensor(std::vector<double>(12, 1), {6, 2}, DType::f32);
    return range_fault<op::ScatterAdd>(device, {source});
  });
  // What is added to nowhere stays, -0 included; an infinity reaches its own place only.
  Row known = scatter_add_row({{2, 3}, 1, 4});
  known.arguments += ", by hand";
  known.inputs = {written({2, 3}, {1, -0.0, 3, 4, 5, NAN}),
                  written({2, 4}, {2, 0, 0, 2, 1, 0, 0, 1}, DType::i64),
                  written({2, 4}, {10, 20, 30, 40, INFINITY, 1, 2, -INFINITY})};
  known.answers = {{51, -0.0, 53, 7, NAN, NAN}};
  suite.answer(DataClass::special, known);
  Row wraps = scatter_add_row({{2}, 0, 3}, DType::u8);
  wraps.arguments += ", wraps";
  wraps.inputs = {written({2}, {250, 1}, DType::u8), written({3}, {0, 0, 1}, DType::i64),
                  written({3}, {5, 3, 7}, DType::u8)};
  wraps.answers = {{2, 8}};
  suite.answer(DataClass::special, wraps);
}

}  // namespace conformance
