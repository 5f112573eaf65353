// Rows of gradient_norm, clip_by_norm and clip_by_value.
#include <fmt/format.h>

#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/step.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr double inf = INFINITY;

std::uint32_t count_of(const std::vector<Shape>& parameters) {
  return static_cast<std::uint32_t>(parameters.size());
}

Row norm_row(const std::vector<Shape>& parameters) {
  Row row{.operation = Operation(op::GradientNorm{count_of(parameters)}),
          .arguments = parameters_text(parameters),
          .outputs = {{Shape{}}},
          .classes = {DataClass::real}};
  for (const Shape& shape : parameters) row.inputs.push_back({shape});
  return row;
}

// All tensors are changed where they lie.
Row clip_row(Operation operation, const std::vector<Shape>& parameters, std::string text) {
  Row row{.operation = std::move(operation),
          .arguments = parameters_text(parameters) + ", " + std::move(text)};
  Argument gradient;
  gradient.exact = values({3, -4, 1, -1, 0, 2});
  set_step_tensors(row, parameters, {gradient});
  return row;
}

Row by_norm(const std::vector<Shape>& parameters, float max_norm, double norm) {
  Row row = clip_row(Operation(op::ClipByNorm{count_of(parameters)}, {max_norm}), parameters,
                     fmt::format("{} of {}", max_norm, norm));
  row.inputs.push_back(written({}, {norm}));
  row.classes = {DataClass::real};
  return row;
}

Row by_value(const std::vector<Shape>& parameters, float limit) {
  return clip_row(Operation(op::ClipByValue{count_of(parameters)}, {limit}), parameters,
                  fmt::format("limit {}", limit));
}

void answer(Suite& suite, Row row, const std::vector<double>& x,
            const std::vector<double>& answers) {
  row.arguments += ", special values";
  row.inputs[0] = row.outputs[0] = written({67}, x);
  row.answers = {repeated(answers, 67)};
  suite.answer(DataClass::special, row);
}

}  // namespace

void clip_rows(Suite& suite) {
  for (const auto& parameters : parameter_lists) {
    suite.add(norm_row(parameters));
    suite.add(by_norm(parameters, 1, 4));
    suite.add(by_norm(parameters, 4, 1));  // nothing to clip
    suite.add(by_value(parameters, 2));
    suite.add(by_value(parameters, 0.5f));
  }
  Row known = norm_row({{2, 2}, {}, {3}});
  known.arguments += ", by hand";
  known.inputs = {written({2, 2}, {1, -2, 3, 5}), written({}, {-1}), written({3}, {0, 3, 0})};
  known.answers = {{7}};
  suite.answer(DataClass::closed_form, known);
  for (const double value : {inf, -inf, double{NAN}}) {
    Row row = norm_row({{3}, {33}});
    row.arguments += fmt::format(", one {}", value);
    row.inputs = {written({3}, {1, 2, 3}), written({33}, {1, 2, value})};
    row.answers = {{std::isnan(value) ? NAN : inf}};
    suite.answer(DataClass::special, row);
  }
  Row nothing = norm_row({{0}});
  nothing.answers = {{0}};
  suite.answer(DataClass::special, nothing);

  answer(suite, by_norm({{67}}, 1, inf), {3, -3, inf, NAN}, {0, -0.0, NAN, NAN});
  answer(suite, by_norm({{67}}, 1, NAN), {3, -3, inf}, {NAN, NAN, NAN});
  answer(suite, by_norm({{67}}, 2, 1), {3, -3, inf, NAN, -0.0}, {3, -3, inf, NAN, -0.0});
  answer(suite, by_value({{67}}, 2), {3, -3, inf, -inf, NAN, 1, -0.0},
         {2, -2, 2, -2, NAN, 1, -0.0});
}

}  // namespace conformance
