// Rows of prod, max and min over axes.
#include "ops/ops.hpp"
#include "ops/reduction.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr double inf = INFINITY;

using Over = Operation (*)(std::uint32_t axes);

Operation prod(std::uint32_t axes) {
  return Operation(op::Prod{axes});
}
Operation max(std::uint32_t axes) {
  return Operation(op::Max{axes});
}
Operation min(std::uint32_t axes) {
  return Operation(op::Min{axes});
}

Row fold(Over over, const Reduced& one, Fill exact, Fill real, DType dtype = DType::f32) {
  return {.operation = over(one.axes),
          .arguments = type_text(dtype) + one.text(),
          .inputs = {{one.shape, dtype, std::move(exact), std::move(real)}},
          .outputs = {{one.result(), dtype}}};
}

void add_rows(Suite& suite, Over over, const Fill& exact, const Fill& real) {
  for (const Reduced& one : reduced_shapes) suite.add(fold(over, one, exact, real));
  const Reduced small{{5, 33}, 0b10};
  suite.add(fold(over, small, exact, real, DType::f64));
  for (const DType half : {DType::f16, DType::bf16}) {
    suite.add(fold(over, small, exact, real, half));
  }
  for (const DType dtype : {DType::i8, DType::i32, DType::i64}) {
    Row row = fold(over, small, exact, real, dtype);
    row.classes = {DataClass::exact};
    suite.add(row);
  }
  Row none = fold(over, {{3, 0}, 0b01}, exact, real);
  none.classes = {DataClass::special};
  none.trivial = true;
  suite.add(none);
}

void add_answer(Suite& suite, Over over, std::string words, const Shape& shape, std::uint32_t axes,
                const std::vector<double>& x, const std::vector<double>& answers,
                DType dtype = DType::f32) {
  Row row = fold(over, {shape, axes}, {}, {}, dtype);
  row.arguments += ", " + words;
  row.inputs = {written(shape, x, dtype)};
  row.answers = {answers};
  suite.answer(DataClass::special, row);
}

void prod_rows(Suite& suite) {
  // Signs alone stay exact over thousands of factors.
  add_rows(suite, prod, values({-1, 1, 1, -1, 1, 1, 1}), reals(0.9, 1.1));
  add_answer(suite, prod, "empty", {3, 0}, 0b10, {}, {1, 1, 1});
  add_answer(suite, prod, "special values", {4, 3}, 0b10,
             {2, NAN, 3, inf, 0, 1, -inf, 2, -1, -0.0, 3, 2}, {NAN, NAN, inf, -0.0});
  add_answer(suite, prod, "of 1 to 6", {2, 3}, 0b11, {1, 2, 3, 4, 5, 6}, {720});
  add_answer(suite, prod, "that wraps", {3}, 0b1, {200, 2, 3}, {1200 - 4 * 256}, DType::u8);
}

void extremum_rows(Suite& suite, Over over, bool largest) {
  const auto either = [&](std::vector<double> high, std::vector<double> low) {
    return largest ? high : low;
  };
  add_rows(suite, over, whole(-100, 100), reals(-9, 9));
  add_answer(suite, over, "special values", {5, 3}, 0b10,
             {1, NAN, 2, inf, 1, 2, -inf, -inf, -inf, NAN, inf, -inf, -3, -inf, -5},
             either({NAN, inf, -inf, NAN, -3}, {NAN, 1, -inf, NAN, -inf}));
  add_answer(suite, over, "of both signs", {3}, 0b1, {-0x1p62, 0x1p62, 0},
             either({0x1p62}, {-0x1p62}), DType::i64);
  add_answer(suite, over, "beyond 127", {3}, 0b1, {200, 100, 150}, either({200}, {100}), DType::u8);

  // Each extremum once, in the body of a long line and at its very end; and a NaN there.
  const std::int64_t length = 4099;
  std::vector<double> x(static_cast<std::size_t>(3 * length), 1);
  x[2050] = 7;
  x[2051] = -7;
  x[2 * length - 1] = 9;
  x[2 * length - 2] = -9;
  x[3 * length - 1] = NAN;
  add_answer(suite, over, "long", {3, length}, 0b10, x, either({7, 9, NAN}, {-7, -9, NAN}));
}

}  // namespace

void fold_rows(Suite& suite) {
  prod_rows(suite);
  extremum_rows(suite, max, true);
  extremum_rows(suite, min, false);
}

}  // namespace conformance
