// Rows of sgd_step.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/step.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Variant {
  const char* text;
  bool momentum, nesterov;
  op::SgdStep::Scalars scalars;
};

// Scalars: rate, momentum, dampening, weight decay, first.
constexpr std::array exact_variants{
    Variant{"plain", false, false, {0.5f, 0, 0, 0, 0}},
    Variant{"decay", false, false, {0.5f, 0, 0, 0.25f, 0}},
    Variant{"momentum", true, false, {0.5f, 0.5f, 0, 0, 0}},
    Variant{"momentum, first", true, false, {0.5f, 0.5f, 0.5f, 0, 1}},
    Variant{"nesterov", true, true, {0.25f, 0.5f, 0, 0.5f, 0}},
    Variant{"dampening", true, false, {0.5f, 0.5f, 0.25f, 0, 0}},
};
constexpr std::array real_variants{
    Variant{"plain 0.1", false, false, {0.1f, 0, 0, 0, 0}},
    Variant{"nesterov 0.9", true, true, {0.01f, 0.9f, 0, 1e-4f, 0}},
    Variant{"dampening 0.1", true, false, {0.01f, 0.9f, 0.1f, 1e-2f, 0}},
};

Row sgd_row(const std::vector<Shape>& parameters, const Variant& v, DataClass data) {
  const auto count = static_cast<std::uint32_t>(parameters.size());
  Row row{.operation = Operation(op::SgdStep{count, v.momentum, v.nesterov}, v.scalars),
          .arguments = parameters_text(parameters) + ", " + v.text,
          .classes = {data}};
  std::vector<Argument> lists(v.momentum ? 3 : 2);
  lists[1].exact = whole(1, 4);
  set_step_tensors(row, parameters, lists);
  return row;
}

}  // namespace

void sgd_step_rows(Suite& suite) {
  for (const auto& parameters : parameter_lists) {
    for (const Variant& v : exact_variants) suite.add(sgd_row(parameters, v, DataClass::exact));
    for (const Variant& v : real_variants) suite.add(sgd_row(parameters, v, DataClass::real));
  }
  Row known = sgd_row({{2}}, exact_variants[4], DataClass::closed_form);
  known.arguments += ", by hand";
  // g = 2 + 0.5 * 4 = 4; m = 0.5 * 2 + 4 = 5; p = 4 - 0.25 * (4 + 0.5 * 5)
  known.inputs = {written({2}, {4}), written({2}, {2}), written({2}, {2})};
  known.answers = {{2.375, 2.375}, {5, 5}};
  suite.answer(DataClass::closed_form, known);
}

}  // namespace conformance
