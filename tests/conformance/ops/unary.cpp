// Rows of functions of one element: neg, abs, sign, exp, log, sqrt, rsqrt, square, reciprocal,
// clamp, and of the gradients of abs and clamp.
#include "ops/elementwise.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr double inf = INFINITY;

// Whole numbers of both signs; the first one isn't 0, since a single element must not be.
Fill signed_numbers() {
  return values({3, -2, 0, 1, -4, -0.0, 2});
}

Row function(Operation operation, Fill exact, Fill real, std::string parameters = "") {
  return {.operation = std::move(operation),
          .arguments = std::move(parameters),
          .inputs = {{{}, DType::f32, std::move(exact), std::move(real)}}};
}

// With nothing but real data: the result isn't exact on any.
Row rounded(Operation operation, Fill real) {
  Row row = function(std::move(operation), integers(), std::move(real));
  row.classes = {DataClass::real};
  return row;
}

Row gradient(Operation operation, Fill exact, Fill real, std::string parameters = "") {
  Row row =
      function(std::move(operation), std::move(exact), std::move(real), std::move(parameters));
  row.inputs.insert(row.inputs.begin(), {{}, DType::f32, whole(1, 4), reals(-2, 2)});
  return row;
}

void sign_rows(Suite& suite) {
  const Row neg = function(Operation(op::Neg{}), signed_numbers(), reals(-9, 9));
  add_function_rows(suite, neg);
  suite.add(streaming(
      {.operation = Operation(op::Neg{}), .arguments = "", .inputs = {{{}}}, .outputs = {{{}}}}));
  add_special_row(suite, neg, {{NAN, inf, -inf, 0, -0.0, 3}}, {NAN, -inf, inf, -0.0, 0, -3});

  const Row abs = function(Operation(op::Abs{}), signed_numbers(), reals(-9, 9));
  add_function_rows(suite, abs);
  add_special_row(suite, abs, {{NAN, inf, -inf, 0, -0.0, -3}}, {NAN, inf, inf, 0, 0, 3});

  const Row abs_backward = gradient(Operation(op::AbsBackward{}), signed_numbers(), reals(-9, 9));
  add_function_rows(suite, abs_backward);
  add_special_row(suite, abs_backward, {{5, 5, inf, NAN, 2, 7, NAN}, {3, -3, 0, -0.0, NAN, inf, 1}},
                  {5, -5, 0, 0, NAN, 7, NAN});

  const Row sign = function(Operation(op::Sign{}), signed_numbers(), reals(-9, 9));
  add_function_rows(suite, sign);
  add_special_row(suite, sign, {{NAN, inf, -inf, 0, -0.0, 5, -0.25}}, {NAN, 1, -1, 0, 0, 1, -1});
}

void power_rows(Suite& suite) {
  const Row sqrt = rounded(Operation(op::Sqrt{}), reals(0, 100));
  add_function_rows(suite, sqrt);
  add_special_row(suite, sqrt, {{NAN, inf, -inf, 0, -0.0, -1, 4}}, {NAN, inf, NAN, 0, -0.0, NAN, 2},
                  4);

  const Row rsqrt = rounded(Operation(op::Rsqrt{}), reals(0.01, 100));
  add_function_rows(suite, rsqrt);
  add_special_row(suite, rsqrt, {{NAN, inf, -inf, 0, -0.0, -1, 4}},
                  {NAN, 0, NAN, inf, -inf, NAN, 0.5}, 4);

  const Row square = function(Operation(op::Square{}), signed_numbers(), reals(-9, 9));
  add_function_rows(suite, square);
  add_special_row(suite, square, {{NAN, inf, -inf, -0.0, 1e30, -3}}, {NAN, inf, inf, 0, inf, 9});

  const Row reciprocal = rounded(Operation(op::Reciprocal{}), reals(0.01, 100));
  add_function_rows(suite, reciprocal);
  add_special_row(suite, reciprocal, {{NAN, inf, -inf, 0, -0.0, -4}},
                  {NAN, 0, -0.0, inf, -inf, -0.25}, 4);
}

void exponential_rows(Suite& suite) {
  const Row exp = rounded(Operation(op::Exp{}), reals(-10, 10));
  add_function_rows(suite, exp);
  Row wide = rounded(Operation(op::Exp{}), reals(-110, 110));  // from 0 to infinity
  wide.arguments = "from -110";
  suite.add(on_shape(wide, {5, 33}));
  add_known_row(suite, exp, {1}, {2.718281828459045});
  add_special_row(suite, exp, {{NAN, inf, -inf, 0, -0.0, 1000, -1000}}, {NAN, inf, 0, 1, 1, inf, 0},
                  4);

  const Row log = rounded(Operation(op::Log{}), reals(0, 100));
  add_function_rows(suite, log);
  Row near_one = rounded(Operation(op::Log{}), reals(0.99, 1.01));
  near_one.arguments = "near 1";
  suite.add(on_shape(near_one, {5, 33}));
  add_known_row(suite, log, {10}, {2.302585092994046});
  add_special_row(suite, log, {{NAN, inf, -inf, 0, -0.0, -1, 1}},
                  {NAN, inf, NAN, -inf, -inf, NAN, 0});
}

void clamp_rows(Suite& suite) {
  // Numbers on both bounds, and beside them.
  const Fill at_bounds = values({0.5, -1, 2, -3, 4, 1, 0, -0.5});
  const op::ClampParams both{-1, 2}, above{-INFINITY, 1}, below{0.5f, INFINITY}, crossed{2, -1};
  add_function_rows(
      suite, function(Operation(op::Clamp{both}), signed_numbers(), reals(-3, 3), "from -1 to 2"));
  add_function_rows(
      suite, gradient(Operation(op::ClampBackward{both}), at_bounds, at_bounds, "from -1 to 2"));

  const std::vector<double> x{NAN, inf, -inf, 0, -0.0, 5, -5};
  const auto special = [&](const op::ClampParams& bounds, const char* words,
                           const std::vector<double>& answers) {
    add_special_row(suite, function(Operation(op::Clamp{bounds}), {}, {}, words), {x}, answers);
  };
  special(both, "from -1 to 2", {NAN, 2, -1, 0, -0.0, 2, -1});
  special(above, "to 1", {NAN, 1, -inf, 0, -0.0, 1, -5});
  special(below, "from 0.5", {NAN, inf, 0.5, 0.5, 0.5, 5, 0.5});
  special(crossed, "from 2 to -1", {NAN, -1, -1, -1, -1, -1, -1});
  add_special_row(suite, gradient(Operation(op::ClampBackward{both}), {}, {}, "from -1 to 2"),
                  {{5, 5, 5, 5, 5, NAN, inf}, {-1, 2, -1.5, 2.5, NAN, 9, -inf}},
                  {5, 5, 0, 0, 5, 0, 0});
}

}  // namespace

void unary_rows(Suite& suite) {
  sign_rows(suite);
  power_rows(suite);
  exponential_rows(suite);
  clamp_rows(suite);
}

}  // namespace conformance
