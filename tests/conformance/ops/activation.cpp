// Rows of the activations beyond relu, and of their gradients.
#include <fmt/format.h>

#include "ops/elementwise.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr double inf = INFINITY;

// What one activation and its gradient are tried on.
struct Activation {
  Operation forward, backward;
  std::string parameters = "";
  // Of x, and of what the gradient takes beside dy.
  Fill x = reals(-8, 8), saved = reals(-8, 8);
  std::vector<DataClass> classes = {DataClass::real};

  [[nodiscard]] Row row() const {
    return {.operation = forward,
            .arguments = parameters,
            .inputs = {{{}, DType::f32, values({3, -2, 0, 1, -4, -0.0, 2}), x}},
            .classes = classes};
  }
  [[nodiscard]] Row gradient_row() const {
    return {.operation = backward,
            .arguments = parameters,
            .inputs = {{{}, DType::f32, values({4, -8, 12, 16}), reals(-2, 2)},
                       {{}, DType::f32, values({3, -2, 0, 1, -4, -0.0, 2}), saved}},
            .classes = classes};
  }
};

void add(Suite& suite, const Activation& activation) {
  add_function_rows(suite, activation.row());
  add_function_rows(suite, activation.gradient_row());
}

// A range of its own, where the formula is hard: far tails, a neighbourhood of 0.
void add_range(Suite& suite, Activation activation, double low, double high) {
  activation.x = activation.saved = reals(low, high);
  std::string& words = activation.parameters;
  words += fmt::format("{}from {}", words.empty() ? "" : ", ", low);
  suite.add(on_shape(activation.row(), {5, 33}));
  suite.add(on_shape(activation.gradient_row(), {5, 33}));
}

void piecewise_rows(Suite& suite) {
  // A slope that is a power of two: exact.
  const op::LeakyReluParams slope{0.25f};
  const Activation leaky{Operation(op::LeakyRelu{slope}), Operation(op::LeakyReluBackward{slope}),
                         "slope 0.25"};
  Activation exact = leaky;
  exact.classes = {DataClass::exact, DataClass::real};
  add(suite, exact);
  add_special_row(suite, leaky.row(), {{NAN, inf, -inf, 0, -0.0, -8, 3}},
                  {NAN, inf, -inf, 0, -0.0, -2, 3});
  add_special_row(suite, leaky.gradient_row(),
                  {{4, 4, 4, 4, NAN, -0.0, 4}, {0, -0.0, NAN, -1, 1, 2, inf}},
                  {1, 1, 4, 1, NAN, -0.0, 4});
  const op::LeakyReluParams usual{0.01f};
  add_range(
      suite,
      {Operation(op::LeakyRelu{usual}), Operation(op::LeakyReluBackward{usual}), "slope 0.01"}, -8,
      8);

  const op::EluParams alpha{1.5f};
  const Activation elu{Operation(op::Elu{alpha}), Operation(op::EluBackward{alpha}), "alpha 1.5"};
  add(suite, elu);
  add_range(suite, elu, -0.01, 0.01);
  add_range(suite, elu, -100, 0);
  add_known_row(suite, elu.row(), {-1}, {-0.9481808382428365});
  add_special_row(suite, elu.row(), {{NAN, inf, -inf, 0, -0.0, -200, 3}},
                  {NAN, inf, -1.5, 0, -0.0, -1.5, 3}, 4);
  add_special_row(suite, elu.gradient_row(), {{4, 4, 4, 4, 4, NAN}, {0, 1, -inf, NAN, inf, 1}},
                  {6, 4, 0, NAN, 4, NAN}, 4);
}

void saturating_rows(Suite& suite) {
  const Activation sigmoid{.forward = Operation(op::Sigmoid{}),
                           .backward = Operation(op::SigmoidBackward{}),
                           .saved = reals(0, 1)};
  add(suite, sigmoid);
  Row far = sigmoid.row();
  far.arguments = "from -100";
  far.inputs[0].real = reals(-100, 100);
  suite.add(on_shape(far, {5, 33}));
  add_known_row(suite, sigmoid.row(), {1}, {0.7310585786300049});
  add_special_row(suite, sigmoid.row(), {{NAN, inf, -inf, 0, -0.0, 1000, -1000}},
                  {NAN, 1, 0, 0.5, 0.5, 1, 0}, 4);
  add_special_row(suite, sigmoid.gradient_row(), {{4, 4, 4, 4, NAN}, {0.5, 0, 1, NAN, 1}},
                  {1, 0, 0, NAN, NAN});

  const Activation tanh{.forward = Operation(op::Tanh{}),
                        .backward = Operation(op::TanhBackward{}),
                        .saved = reals(-1, 1)};
  add(suite, tanh);
  Row small = tanh.row();
  small.arguments = "near 0";
  small.inputs[0].real = reals(-0.01, 0.01);
  suite.add(on_shape(small, {5, 33}));
  add_known_row(suite, tanh.row(), {0.5}, {0.46211715726000974});
  add_special_row(suite, tanh.row(), {{NAN, inf, -inf, 0, -0.0, 100, -100}},
                  {NAN, 1, -1, 0, -0.0, 1, -1}, 4);
  add_special_row(suite, tanh.gradient_row(), {{4, 4, 4, 4, NAN}, {0.5, -1, 1, NAN, 0}},
                  {3, 0, 0, NAN, NAN});
}

// x * gate(x): all of them agree where the gate is shut, half open or open.
void gated_rows(Suite& suite) {
  std::vector<Activation> gated{{Operation(op::Silu{}), Operation(op::SiluBackward{})}};
  for (const op::Approximate form : {op::Approximate::none, op::Approximate::tanh}) {
    const op::GeluParams params{form};
    gated.push_back({Operation(op::Gelu{params}), Operation(op::GeluBackward{params}),
                     form == op::Approximate::tanh ? "approximate tanh" : ""});
  }
  for (const Activation& activation : gated) {
    add(suite, activation);
    add_range(suite, activation, -0.01, 0.01);
    add_range(suite, activation, -110, 20);
    add_special_row(suite, activation.row(), {{NAN, inf, -inf, 0, -0.0, 1000, -1000}},
                    {NAN, inf, NAN, 0, -0.0, 1000, -0.0}, 4);
    add_special_row(suite, activation.gradient_row(),
                    {{3, 3, 3, 3, 3, 3, NAN}, {NAN, inf, -inf, 0, 1000, -1000, 0}},
                    {NAN, 3, 0, 1.5, 3, 0, NAN}, 4);
  }
  const std::vector<double> x{1, -2};
  add_known_row(suite, gated[0].row(), x, {0.7310585786300049, -0.2384058440442351});
  add_known_row(suite, gated[1].row(), x, {0.8413447460685429, -0.04550026389635844});
  add_known_row(suite, gated[2].row(), x, {0.8411919906082768, -0.04540230591222494});
}

void softplus_rows(Suite& suite) {
  const op::SoftplusParams usual{1, 20}, sharp{3, 5}, soft{0.5f, INFINITY};
  const auto softplus = [](const op::SoftplusParams& params, const char* words) {
    return Activation{Operation(op::Softplus{params}), Operation(op::SoftplusBackward{params}),
                      words};
  };
  const Activation one = softplus(usual, "beta 1, threshold 20");
  add(suite, one);
  add_range(suite, one, -100, 30);
  add_range(suite, softplus(sharp, "beta 3, threshold 5"), -8, 8);
  add_range(suite, softplus(soft, "beta 0.5, no threshold"), -30, 60);
  add_known_row(suite, one.row(), {1, -2}, {1.3132616875182228, 0.1269280110429725});
  add_special_row(suite, one.row(), {{NAN, inf, -inf, 100, -1000}}, {NAN, inf, 0, 100, 0});
  add_special_row(suite, softplus(soft, "beta 0.5, no threshold").row(), {{NAN, inf, -inf, 1000}},
                  {NAN, inf, 0, 1000}, 4);
  add_special_row(suite, one.gradient_row(), {{3, 3, 3, 3, 3, NAN}, {NAN, inf, -inf, 100, 0, 1}},
                  {NAN, 3, 0, 3, 1.5, NAN}, 4);
}

}  // namespace

void activation_rows(Suite& suite) {
  piecewise_rows(suite);
  saturating_rows(suite);
  gated_rows(suite);
  softplus_rows(suite);
}

}  // namespace conformance
