// Rows of rmsprop_step.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/step.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Variant {
  const char* text;
  bool centered, momentum;
  op::RmspropStep::Scalars scalars;
};

// Scalars: rate, alpha, epsilon, weight decay, momentum.
constexpr std::array variants{
    Variant{"plain", false, false, {1e-2f, 0.99f, 1e-8f, 0, 0}},
    Variant{"decay", false, false, {1e-2f, 0.9f, 1e-3f, 1e-2f, 0}},
    Variant{"centered", true, false, {1e-2f, 0.9f, 1e-3f, 0, 0}},
    Variant{"momentum", false, true, {1e-2f, 0.9f, 1e-3f, 0, 0.9f}},
    Variant{"all", true, true, {1e-2f, 0.9f, 1e-3f, 1e-2f, 0.9f}},
};

Row rmsprop_row(const std::vector<Shape>& parameters, const Variant& v) {
  const op::RmspropStep step{static_cast<std::uint32_t>(parameters.size()), v.centered, v.momentum};
  Row row{.operation = Operation(step, v.scalars),
          .arguments = parameters_text(parameters) + ", " + v.text,
          .classes = {DataClass::real}};
  std::vector<Argument> lists(3u + (v.centered ? 1 : 0) + (v.momentum ? 1 : 0));
  lists[2].real = reals(1, 2);  // second moments, above the squares of first ones
  set_step_tensors(row, parameters, lists);
  return row;
}

}  // namespace

void rmsprop_step_rows(Suite& suite) {
  for (const auto& parameters : parameter_lists) {
    for (const Variant& v : variants) suite.add(rmsprop_row(parameters, v));
  }
  // v = 0.75 * 0 + 0.25 * 16 = 4, so the step is 0.5 * 4 / 2.
  Row known = rmsprop_row({{1}}, {"by hand", false, false, {0.5f, 0.75f, 0, 0, 0}});
  known.inputs = {written({1}, {3}), written({1}, {4}), written({1}, {0})};
  known.answers = {{2}, {4}};
  suite.answer(DataClass::closed_form, known);

  // g = 2 + 0.5 * 4 = 4; v = 0.5 * 10 + 0.5 * 16 = 13; a = 0.5 * -8 + 0.5 * 4 = -2, so that the
  // deviation is sqrt(13 - 4) = 3; m = 0.5 * 6 + 4 / (3 + 1) = 4; p = 4 - 0.5 * 4.
  Row all = rmsprop_row({{1}}, {"all by hand", true, true, {0.5f, 0.5f, 1, 0.5f, 0.5f}});
  all.inputs = {written({1}, {4}), written({1}, {2}), written({1}, {10}), written({1}, {-8}),
                written({1}, {6})};
  all.answers = {{2}, {13}, {-2}, {4}};
  suite.answer(DataClass::closed_form, all);
}

}  // namespace conformance
