// Rows of losses of pairs of elements and of their gradients: mse, l1, huber, bce_with_logits,
// kl_div.
#include <functional>

#include "ops/ops.hpp"
#include "ops/reduction_name.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr double inf = INFINITY;

const std::array shapes{Shape{1},     Shape{4, 8},    Shape{5, 31},   Shape{33},
                        Shape{16, 2}, Shape{2, 4, 8}, Shape{3, 20001}};

// What one loss and its gradient are tried on.
struct Loss {
  std::function<Operation(Reduction)> forward, backward;
  std::string parameters = "";
  Fill exact = whole(-4, 4), x = reals(-1, 1), target = reals(-1, 1);
  bool is_exact = true;

  [[nodiscard]] Row row(const Shape& shape, Reduction reduction) const {
    const bool single = shape.count() == 1;
    return {.operation = forward(reduction),
            .arguments = dims_text(shape) + ", " + parameters + reduction_name(reduction),
            .inputs = {{shape, DType::f32, single ? whole(5, 6) : exact, x},
                       {shape, DType::f32, exact, target}},
            .outputs = {{loss_shape(reduction, shape)}},
            .classes = classes(shape, reduction)};
  }
  [[nodiscard]] Row gradient_row(const Shape& shape, Reduction reduction) const {
    Row gradient = row(shape, reduction);
    gradient.operation = backward(reduction);
    gradient.inputs.insert(gradient.inputs.begin(), {loss_shape(reduction, shape), DType::f32,
                                                     values({4, 8, -12}), reals(0.5, 2)});
    gradient.outputs = {{shape}};
    return gradient;
  }

 private:
  // A division that rounds may be a multiplication elsewhere.
  [[nodiscard]] std::vector<DataClass> classes(const Shape& shape, Reduction reduction) const {
    const bool divides = (shape.count() & (shape.count() - 1)) == 0;
    if (!is_exact || (reduction == Reduction::mean && !divides)) return {DataClass::real};
    return {DataClass::exact, DataClass::real};
  }
};

template <class Op>
std::function<Operation(Reduction)> reduces(Op op) {
  return [op](Reduction reduction) {
    Op made = op;
    made.reduction = reduction;
    return Operation(made);
  };
}

void add(Suite& suite, const Loss& loss) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    for (const Shape& shape : shapes) {
      suite.add(loss.row(shape, reduction));
      suite.add(loss.gradient_row(shape, reduction));
    }
  }
  Row nothing = loss.row({0, 3}, Reduction::sum);
  nothing.answers = {{0}};
  suite.answer(DataClass::special, nothing);
  nothing = loss.row({0, 3}, Reduction::mean);
  nothing.answers = {{NAN}};
  suite.answer(DataClass::special, nothing);
}

// One answer for each pair, in the body of vectors and in the tail.
void answer(Suite& suite, DataClass data, const Loss& loss, const std::vector<double>& x,
            const std::vector<double>& target, const std::vector<double>& losses,
            const std::vector<double>& slopes, double ulps = 0) {
  const Shape shape{67};
  Row row = loss.row(shape, Reduction::none);
  row.arguments += data == DataClass::special ? ", special values" : ", known values";
  row.inputs = {written(shape, x), written(shape, target)};
  row.answers = {repeated(losses, 67)};
  row.ulps = ulps;
  suite.answer(data, row);
  row.operation = loss.backward(Reduction::none);
  row.inputs.insert(row.inputs.begin(), written(shape, {1}));
  row.answers = {repeated(slopes, 67)};
  suite.answer(data, row);
}

// A mean of four, and its gradient.
void answer_mean(Suite& suite, const Loss& loss, double value,
                 const std::vector<double>& gradient) {
  Row known = loss.row({2, 2}, Reduction::mean);
  known.arguments += ", by hand";
  known.inputs = {written({2, 2}, {1, 2, 3, 4}), written({2, 2}, {3, 2, 0, 5})};
  known.answers = {{value}};
  suite.answer(DataClass::closed_form, known);
  known.operation = loss.backward(Reduction::mean);
  known.inputs.insert(known.inputs.begin(), written({}, {2}));
  known.outputs = {{{2, 2}}};
  known.answers = {gradient};
  suite.answer(DataClass::closed_form, known);
}

void distance_rows(Suite& suite) {
  const Loss mse{reduces(op::Mse{}), reduces(op::MseBackward{})};
  add(suite, mse);
  answer_mean(suite, mse, 3.5, {-2, 0, 3, -1});

  const Loss l1{reduces(op::L1{}), reduces(op::L1Backward{})};
  add(suite, l1);
  answer_mean(suite, l1, 1.5, {-0.5, 0, 0.5, -0.5});
  answer(suite, DataClass::special, l1, {NAN, inf, -inf, 0, -0.0, inf, 3},
         {1, 1, 1, 0, 0, inf, NAN}, {NAN, inf, inf, 0, 0, NAN, NAN}, {NAN, 1, -1, 0, 0, NAN, NAN});

  const op::HuberParams bend{{}, 2};
  const Loss huber{.forward = reduces(op::Huber{bend}),
                   .backward = reduces(op::HuberBackward{bend}),
                   .parameters = "delta 2, ",
                   .x = reals(-4, 4)};
  add(suite, huber);
  answer_mean(suite, huber, 1.625, {-1, 0, 1, -0.5});
  // On the bend and on both sides of it.
  answer(suite, DataClass::special, huber, {NAN, inf, -inf, 2, -2, 1, 6}, {0, 0, 0, 0, 0, 0, 0},
         {NAN, inf, inf, 2, 2, 0.5, 10}, {NAN, 2, -2, 2, -2, 1, 2});
}

void probability_rows(Suite& suite) {
  const Loss bce{.forward = reduces(op::BceWithLogits{}),
                 .backward = reduces(op::BceWithLogitsBackward{}),
                 .x = reals(-9, 9),
                 .target = reals(0, 1),
                 .is_exact = false};
  add(suite, bce);
  const double log2 = 0.6931471805599453;
  answer(suite, DataClass::closed_form, bce, {0, 0, 0}, {0, 1, 0.5}, {log2, log2, log2},
         {0.5, -0.5, 0}, 4);
  answer(suite, DataClass::special, bce, {NAN, 1000, -1000, 1000, -1000, inf, 1},
         {1, 1, 1, 0, 0, 0, NAN}, {NAN, 0, 1000, 1000, 0, NAN, NAN}, {NAN, 0, -1, 1, 0, 1, NAN});

  const op::KlDivParams shares{{}, 0}, logs{{}, 1};
  const Loss kl{.forward = reduces(op::KlDiv{shares}),
                .backward = reduces(op::KlDivBackward{shares}),
                .x = reals(-5, 0),
                .target = reals(0, 1),
                .is_exact = false};
  add(suite, kl);
  answer(suite, DataClass::special, kl, {-2, -2, NAN, -inf, -inf, -1}, {0, 1, 0, 1, 0, NAN},
         {0, 2, NAN, inf, NAN, NAN}, {-0.0, -1, -0.0, -1, -0.0, NAN});
  Loss kl_of_logs{.forward = reduces(op::KlDiv{logs}),
                  .backward = reduces(op::KlDivBackward{logs}),
                  .parameters = "log_target, ",
                  .x = reals(-5, 0),
                  .target = reals(-5, 0),
                  .is_exact = false};
  add(suite, kl_of_logs);
  answer(suite, DataClass::special, kl_of_logs, {-2, -2, NAN, -inf, -1, -1},
         {0, -2, 0, 0, -inf, NAN}, {2, 0, NAN, inf, NAN, NAN},
         {-1, -0.1353352832366127, -1, -1, -0.0, NAN}, 4);
}

}  // namespace

void pair_loss_rows(Suite& suite) {
  distance_rows(suite);
  probability_rows(suite);
}

}  // namespace conformance
