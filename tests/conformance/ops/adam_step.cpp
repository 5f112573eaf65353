// Rows of adam_step.
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/step.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Variant {
  const char* text;
  bool decoupled;
  op::AdamStep::Scalars scalars;
};

// Scalars: rate, beta1, beta2, epsilon, weight decay, correction1, correction2.
constexpr std::array variants{
    Variant{"step 1", false, {1e-3f, 0.9f, 0.999f, 1e-8f, 0, 0.1f, 0.001f}},
    Variant{"step 10", false, {1e-3f, 0.9f, 0.999f, 1e-8f, 0, 0.6513215599f, 0.00995511979f}},
    Variant{"decay", false, {1e-2f, 0.8f, 0.99f, 1e-6f, 1e-2f, 0.36f, 0.0199f}},
    Variant{"decoupled", true, {1e-2f, 0.8f, 0.99f, 1e-6f, 1e-2f, 0.36f, 0.0199f}},
};

Row adam_row(const std::vector<Shape>& parameters, const Variant& v) {
  const auto count = static_cast<std::uint32_t>(parameters.size());
  Row row{.operation = Operation(op::AdamStep{count, v.decoupled}, v.scalars),
          .arguments = parameters_text(parameters) + ", " + v.text,
          .classes = {DataClass::real}};
  std::vector<Argument> lists(4);
  lists[3].real = reals(0, 1);  // second moments are squares
  set_step_tensors(row, parameters, lists);
  return row;
}

}  // namespace

void adam_step_rows(Suite& suite) {
  for (const auto& parameters : parameter_lists) {
    for (const Variant& v : variants) suite.add(adam_row(parameters, v));
  }
  // From nothing, one step moves each parameter by the rate, whatever the gradient's size.
  Row known =
      adam_row({{3}}, {"first from nothing", false, {0.5f, 0.5f, 0.75f, 0, 0, 0.5f, 0.25f}});
  known.inputs = {written({3}, {1, 1, 2}), written({3}, {4, -0.25, 1024}), written({3}, {0}),
                  written({3}, {0})};
  known.answers = {{0.5, 1.5, 1.5}, {2, -0.125, 512}, {4, 0.015625, 262144}};
  suite.answer(DataClass::closed_form, known);

  Row decoupled = adam_row({{1}}, {"by hand", true, {0.5f, 0.5f, 0.75f, 0, 0.5f, 0.5f, 0.25f}});
  // p is scaled by 1 - 0.5 * 0.5 first, then moves by the rate.
  decoupled.inputs = {written({1}, {4}), written({1}, {2}), written({1}, {0}), written({1}, {0})};
  decoupled.answers = {{2.5}, {1}, {1}};
  suite.answer(DataClass::closed_form, decoupled);
}

}  // namespace conformance
