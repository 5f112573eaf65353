// Rows of standardize and its gradient.
#include <fmt/format.h>

#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/reduction.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// As layer_norm, group_norm and batch_norm ask for it, and what else an axis mask can say.
const std::array lines_of{
    Reduced{{31}, 0b1},
    Reduced{{5, 33}, 0b10},                 // layer_norm
    Reduced{{3, 4, 6}, 0b110},              // ... over two axes
    Reduced{{2, 3, 770}, 0b100},            // ... of a transformer's width
    Reduced{{33, 5}, 0b01},                 // batch_norm of features
    Reduced{{4, 3, 5, 7}, 0b1101},          // ... of images
    Reduced{{2, 16, 3, 5}, 0b1101},         // ... whose channels fill vectors
    Reduced{{2, 2, 48}, 0b100},             // group_norm
    Reduced{{2, 3, 4, 5}, 0b1010},          // axes apart
    Reduced{{2, 3, 4}, 0b000},              // every element a line of its own
    Reduced{{4, 8, 40, 41}, 0b1101, true},  // enough to divide among threads
};

constexpr float epsilon = 1e-3f;

Row forward(const Reduced& one) {
  return {.operation = Operation(op::Standardize{{one.axes, epsilon}}),
          .arguments = one.text(),
          .inputs = {{one.shape, DType::f32, whole(-3, 4), reals(-1, 3)}},
          .outputs = {{one.shape}, {one.result()}, {one.result()}},
          .classes = {DataClass::real},
          .trivial = one.axes == 0};
}

Row backward(const Reduced& one) {
  return {.operation = Operation(op::StandardizeBackward{{one.axes, epsilon}}),
          .arguments = one.text(),
          .inputs = {{one.shape},
                     {one.shape, DType::f32, whole(-2, 2), reals(-2, 2)},
                     {one.result(), DType::f32, whole(1, 4), reals(0.1, 3)}},
          .outputs = {{one.shape}},
          .classes = {DataClass::real},
          .trivial = one.axes == 0};
}

// For given y and variance the gradient is linear in dy and its matrix is symmetric. Lines of two
// powers of two, a variance of 1 and no epsilon leave every number exact.
std::string symmetry_fault(Device device) {
  Adjoint adjoint(device);
  const Shape shape{3, 8, 4};
  const op::StandardizeBackward op{{0b110, 0}};
  const Tensor y = adjoint.integers(shape);
  const Tensor variance = ones({3, 1, 1}, {.device = Device::host()});
  const Tensor a = adjoint.integers(shape), b = adjoint.integers(shape);
  const Tensor la = adjoint.run(Operation(op), {a, y, variance}, shape);
  const Tensor lb = adjoint.run(Operation(op), {b, y, variance}, shape);
  return Adjoint::compare(la, b, a, lb);
}

}  // namespace

void standardize_rows(Suite& suite) {
  for (const Reduced& one : lines_of) suite.add(forward(one));
  for (const Reduced& one : lines_of) suite.add(backward(one));
  suite.check(DataClass::closed_form, "standardize", "gradient is symmetric",
              [](Device device) { return symmetry_fault(device); });

  const Reduced none{{0, 5}, 0b10};
  for (Row row : {forward(none), backward(none)}) {
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  Row empty_lines = forward({{3, 0}, 0b10});
  empty_lines.answers = {{}, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
  suite.answer(DataClass::special, empty_lines);

  // What isn't finite spoils its own line, whichever lane it came in.
  const Reduced four{{4, 2}, 0b10};
  Row special = forward(four);
  special.arguments += ", special values";
  special.operation = Operation(op::Standardize{{0b10, 0}});
  special.inputs = {written({4, 2}, {1, NAN, INFINITY, 2, -INFINITY, 3, 5, 7})};
  special.answers = {
      {NAN, NAN, NAN, NAN, NAN, NAN, -1, 1}, {NAN, INFINITY, -INFINITY, 6}, {NAN, NAN, NAN, 1}};
  suite.answer(DataClass::special, special);

  // Far from 0, where E[x^2] - E[x]^2 has no digit left; and a line without variance.
  Row far = forward({{2, 4}, 0b10});
  far.arguments += ", far from 0";
  far.operation = Operation(op::Standardize{{0b10, 0}});
  far.inputs = {written({2, 4}, {8388607, 8388609, 8388607, 8388609, -3, 3, 3, -3})};
  far.answers = {{-1, 1, -1, 1, -1, 1, 1, -1}, {8388608, 0}, {1, 9}};
  far.ulps = 4;
  suite.answer(DataClass::closed_form, far);
  Row constant = forward({{2, 3}, 0b10});
  constant.arguments += ", without variance";
  constant.inputs = {written({2, 3}, {5, 5, 5, -2, -2, -2})};
  constant.answers = {{0, 0, 0, 0, 0, 0}, {5, -2}, {0, 0}};
  constant.trivial = true;
  suite.answer(DataClass::closed_form, constant);
  // dy - 2 - y * 1.5, halved by a variance of 3 and an epsilon of 1.
  Row known = backward({{1, 4}, 0b10});
  known.arguments += ", by hand";
  known.operation = Operation(op::StandardizeBackward{{0b10, 1}});
  known.inputs = {written({1, 4}, {1, 4, 3, 0}), written({1, 4}, {-1, 1, 1, 1}),
                  written({1, 1}, {3})};
  known.answers = {{0.25, 0.25, -0.25, -1.75}};
  known.ulps = 4;
  suite.answer(DataClass::closed_form, known);
}

}  // namespace conformance
