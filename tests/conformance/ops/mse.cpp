// Rows of mse and its gradient.
#include "ops/ops.hpp"
#include "ops/reduction_name.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

const std::array shapes{Shape{1},     Shape{4, 8},    Shape{5, 31},   Shape{33},
                        Shape{16, 2}, Shape{2, 4, 8}, Shape{3, 20001}};

bool divides_exactly(const Shape& shape) {
  const std::int64_t count = shape.count();
  return (count & (count - 1)) == 0;
}

Row forward(const Shape& shape, Reduction reduction) {
  const bool single = shape.count() == 1;
  return {.operation = Operation(op::Mse{reduction}),
          .arguments = dims_text(shape) + ", " + reduction_name(reduction),
          .inputs = {{shape, DType::f32, whole(single ? 5 : -4, single ? 6 : 4)}, {shape}},
          .outputs = {{loss_shape(reduction, shape)}}};
}

Row backward(const Shape& shape, Reduction reduction) {
  Row row = forward(shape, reduction);
  row.operation = Operation(op::MseBackward{reduction});
  row.inputs.insert(row.inputs.begin(),
                    {loss_shape(reduction, shape), DType::f32, whole(1, 4), reals(0.5, 2)});
  row.outputs = {{shape}};
  return row;
}

}  // namespace

void mse_rows(Suite& suite) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    for (const Shape& shape : shapes) {
      for (Row row : {forward(shape, reduction), backward(shape, reduction)}) {
        // A division that rounds may be a multiplication elsewhere.
        if (reduction == Reduction::mean && !divides_exactly(shape))
          row.classes = {DataClass::real};
        suite.add(row);
      }
    }
  }
  Row known = forward({2, 2}, Reduction::mean);
  known.arguments += ", by hand";
  known.inputs = {written({2, 2}, {1, 2, 3, 4}), written({2, 2}, {3, 2, 0, 5})};
  known.answers = {{3.5}};
  suite.answer(DataClass::closed_form, known);

  Row gradient = backward({2, 2}, Reduction::mean);
  gradient.arguments += ", by hand";
  gradient.inputs = {written({}, {2}), written({2, 2}, {1, 2, 3, 4}),
                     written({2, 2}, {3, 2, 0, 5})};
  gradient.answers = {{-2, 0, 3, -1}};
  suite.answer(DataClass::closed_form, gradient);

  Row nothing = forward({0, 3}, Reduction::sum);
  nothing.answers = {{0}};
  suite.answer(DataClass::special, nothing);
  nothing = forward({0, 3}, Reduction::mean);
  nothing.answers = {{NAN}};
  suite.answer(DataClass::special, nothing);
}

}  // namespace conformance
