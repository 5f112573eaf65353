// Rows of gather.
#include "adjoint.hpp"
#include "ops/index.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

Row gather_row(const Indexed& one, DType dtype = DType::f32) {
  return {.operation = Operation(op::Gather{one.axis}),
          .arguments = type_text(dtype) + one.text(),
          .inputs = {{one.shape, dtype, whole(0, 100), reals(-99, 99)}, one.index_argument()},
          .outputs = {{one.index(), dtype}}};
}

// Its adjoint adds where it picks.
std::string adjoint_fault(Device device) {
  Adjoint adjoint(device);
  const Indexed one{{4, 6, 3}, 1, 15};
  const Tensor x = adjoint.integers(one.shape), dy = adjoint.integers(one.index());
  std::vector<double> index(static_cast<std::size_t>(dy.count()));
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<double>(i * i % 5);
  const Tensor at = host_tensor(index, one.index(), DType::i64);
  const Tensor nothing = host_tensor(std::vector<double>(x.count()), one.shape, DType::f32);
  const Tensor y = adjoint.run(Operation(op::Gather{1}), {x, at}, one.index());
  const Tensor dx = adjoint.run(Operation(op::ScatterAdd{1}), {nothing, at, dy}, one.shape);
  return Adjoint::compare(y, dy, x, dx);
}

}  // namespace

void gather_rows(Suite& suite) {
  for (const Indexed& one : indexed_shapes) suite.add(gather_row(one));
  const Indexed some{{5, 33}, 1, 40};
  for (const DType dtype : {DType::f64, DType::f16, DType::u8, DType::i32, DType::i64}) {
    Row row = gather_row(some, dtype);
    if (!is_floating(dtype)) row.classes = {DataClass::exact};
    suite.add(row);
  }
  for (const Indexed& one : {Indexed{{3, 4}, 1, 0}, Indexed{{0, 4}, 1, 2}, Indexed{{3, 4}, 0, 0}}) {
    Row row = gather_row(one);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  suite.check(DataClass::closed_form, "gather", "4x6x3, adjoint", adjoint_fault);
  suite.check(DataClass::special, "gather", "index out of range",
              [](Device device) { return range_fault<op::Gather>(device); });
  Row known = gather_row({{2, 3}, 1, 4});
  known.arguments += ", by hand";
  known.inputs = {written({2, 3}, {1, 2, 3, NAN, -0.0, 6}),
                  written({2, 4}, {2, 0, 0, 1, 1, 0, 2, 2}, DType::i64)};
  known.answers = {{3, 1, 1, 2, -0.0, NAN, 6, 6}};
  suite.answer(DataClass::special, known);
}

}  // namespace conformance
