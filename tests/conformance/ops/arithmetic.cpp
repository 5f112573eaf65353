// Rows of sub, div, pow, maximum, minimum. Those of add and mul have files of their own.
#include "ops/elementwise.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr double inf = INFINITY;

Row pair(const Operation& operation, const Argument& a, const Argument& b,
         std::vector<DataClass> classes = {DataClass::exact, DataClass::real}) {
  return {.operation = operation,
          .arguments = "",
          .inputs = {a, b},
          .outputs = {},
          .classes = std::move(classes)};
}

Argument numbers(Fill exact, Fill real) {
  return {{}, DType::f32, std::move(exact), std::move(real)};
}

void add_integer_rows(Suite& suite, const Operation& operation) {
  for (const DType dtype : {DType::i8, DType::u8, DType::u16, DType::i32, DType::i64}) {
    const Argument operand{{}, dtype, whole(1, 100)};
    suite.add(on_shape(pair(operation, operand, operand, {DataClass::exact}), {5, 33}, dtype));
  }
}

// Written operands of integers, and the answers.
void add_integer_answer(Suite& suite, const Operation& operation, std::string words, DType dtype,
                        const std::vector<double>& a, const std::vector<double>& b,
                        const std::vector<double>& answers) {
  const Shape shape{static_cast<std::int64_t>(a.size())};
  suite.answer(DataClass::special, {.operation = operation,
                                    .arguments = std::move(words),
                                    .inputs = {written(shape, a, dtype), written(shape, b, dtype)},
                                    .outputs = {{shape, dtype}},
                                    .answers = {answers}});
}

void sub_rows(Suite& suite) {
  const Operation sub(op::Sub{});
  const Row row =
      pair(sub, numbers(whole(1, 9), reals(-9, 9)), numbers(whole(-9, 0), reals(-9, 9)));
  add_function_rows(suite, row);
  suite.add(
      streaming({.operation = sub, .arguments = "", .inputs = {{{}}, {{}}}, .outputs = {{{}}}}));
  add_special_row(suite, row, {{NAN, inf, inf, -0.0, 0, 5}, {1, inf, -inf, 0, 0, NAN}},
                  {NAN, NAN, inf, -0.0, 0, NAN});
  add_integer_rows(suite, sub);
  add_integer_answer(suite, sub, "u8 that wraps", DType::u8, {3, 0, 9}, {5, 1, 2}, {254, 255, 7});
}

void div_rows(Suite& suite) {
  const Row row = pair(Operation(op::Div{}), numbers(integers(), reals(-9, 9)),
                       numbers(integers(), reals(0.25, 4)), {DataClass::real});
  add_function_rows(suite, row);
  add_special_row(
      suite, row,
      {{NAN, 1, 1, -1, 0, inf, inf, 5, -0.0, 6}, {1, NAN, 0, 0, 0, inf, 2, -inf, 3, -2}},
      {NAN, NAN, inf, -inf, NAN, NAN, inf, -0.0, -0.0, -3}, 4);
}

void pow_rows(Suite& suite) {
  const Row row = pair(Operation(op::Pow{}), numbers(integers(), reals(0.1, 5)),
                       numbers(integers(), reals(-3, 3)), {DataClass::real});
  add_function_rows(suite, row);
  Row negative = pair(Operation(op::Pow{}), numbers(integers(), reals(-3, -0.5)),
                      numbers(integers(), whole(-3, 4)), {DataClass::real});
  negative.arguments = "of negative bases";
  suite.add(on_shape(negative, {5, 33}));
  add_special_row(suite, row,
                  {{NAN, 1, 0, 0, -0.0, -0.0, -0.0, -8, -1, 0.5, 2, inf, -inf, NAN, 2, -2},
                   {0, NAN, 0, -1, -1, -2, 3, 0.25, inf, inf, -inf, -1, 3, 1, NAN, 3}},
                  {1, 1, 1, inf, -inf, inf, -0.0, NAN, 1, 0, 0, 0, -inf, NAN, NAN, -8}, 32);
}

void extremum_rows(Suite& suite) {
  const Argument ties = numbers(whole(-3, 3), reals(-9, 9));
  const std::vector<double> a{NAN, 1, inf, -0.0, 0, -inf, 2}, b{1, NAN, 3, 0, -0.0, -1, 2};
  const double large = 0x1p62;
  for (const bool largest : {true, false}) {
    const Operation operation = largest ? Operation(op::Maximum{}) : Operation(op::Minimum{});
    Row row = pair(operation, ties, ties);
    row.trivial = true;  // a single element may be 0
    add_function_rows(suite, row);
    add_special_row(suite, row, {a, b},
                    largest ? std::vector<double>{NAN, NAN, inf, -0.0, 0, -1, 2}
                            : std::vector<double>{NAN, NAN, 3, -0.0, 0, -inf, 2});
    add_integer_rows(suite, operation);
    const std::vector<double> high{large, 7, -1}, low{-large, 7, -large};
    add_integer_answer(suite, operation, "i64 of both signs", DType::i64, {large, 7, -large},
                       {-large, 7, -1}, largest ? high : low);
    add_integer_answer(suite, operation, "u8 beyond 127", DType::u8, {200, 3}, {100, 255},
                       largest ? std::vector<double>{200, 255} : std::vector<double>{100, 3});
  }
}

}  // namespace

void arithmetic_rows(Suite& suite) {
  sub_rows(suite);
  div_rows(suite);
  pow_rows(suite);
  extremum_rows(suite);
}

}  // namespace conformance
