// Rows of max_pool2d and its gradient.
#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/window.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Geometry = PoolGeometry;

const std::array geometries{
    Geometry{{2, 3, 8, 8}, {.kernel = 2}},
    Geometry{{2, 3, 9, 7}, {.kernel = 2}},                     // a last row is left over
    Geometry{{2, 3, 9, 7}, {.kernel = 2, .ceil_mode = true}},  // ... and has windows of its own
    Geometry{{2, 2, 8, 10}, {.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true}},
    Geometry{{2, 16, 7, 9}, {.kernel = 3, .stride = 2, .ceil_mode = true}},
    Geometry{{2, 2, 9, 9}, {.kernel = 3, .stride = 2}},  // overlapping
    Geometry{{2, 2, 9, 9}, {.kernel = 3, .stride = 1, .padding = 1}},
    Geometry{{2, 2, 8, 8}, {.kernel = 3, .stride = 2, .padding = {1, 0, 0, 1}}},
    Geometry{{2, 2, 11, 11}, {.kernel = 3, .stride = 2, .padding = 2, .dilation = 2}},
    Geometry{{2, 2, 10, 13}, {.kernel = {1, 3}, .stride = Size2d(2, 1), .dilation = {1, 2}}},
    Geometry{{2, 2, 8, 8}, {.kernel = 1, .stride = 2}},
    Geometry{{2, 2, 9, 9}, {.kernel = 2, .stride = 3}},  // some elements in no window
    Geometry{{2, 33, 6, 6}, {.kernel = 2}},
    Geometry{{2, 4, 5, 31}, {.kernel = {2, 3}, .stride = 1}},
    Geometry{{2, 1, 20, 20}, {.kernel = 17, .stride = 1}},  // 289 taps: u16
    Geometry{{4, 64, 24, 24}, {.kernel = 2}},               // the MNIST CNN's
};

Row forward(const Geometry& g) {
  return {.operation = Operation(op::MaxPool2d{g.params()}),
          .arguments = g.text(),
          .inputs = {{g.x}},
          .outputs = {{g.y()}, {g.y(), g.winner_type()}}};
}

Row backward(const Geometry& g) {
  return {.operation = Operation(op::MaxPool2dBackward{g.params()}),
          .arguments = g.text(),
          .inputs = {{g.y(), DType::f32, whole(1, 4)},
                     {g.y(), g.winner_type(), winners(g), winners(g)}},
          .outputs = {{g.x}},
          .trivial = g.options.kernel.rows > 8};
}

// For given winners the operation is linear: it picks elements.
std::string adjoint_fault(Device device, const Geometry& g) {
  Adjoint adjoint(device);
  const Tensor x = adjoint.integers(g.x), dy = adjoint.integers(g.y());
  const std::vector<Tensor> y =
      adjoint.run(Operation(op::MaxPool2d{g.params()}), {x},
                  std::vector<OutputKind>{{DType::f32, g.y()}, {g.winner_type(), g.y()}});
  const Tensor dx = adjoint.run(Operation(op::MaxPool2dBackward{g.params()}), {dy, y[1]}, g.x);
  return Adjoint::compare(y[0], dy, x, dx);
}

Row answered(const Geometry& g, const char* what, std::vector<double> x, std::vector<double> y,
             std::vector<double> taps) {
  Row row = forward(g);
  row.arguments += std::string(", ") + what;
  row.inputs = {written(g.x, std::move(x))};
  row.answers = {std::move(y), std::move(taps)};
  return row;
}

}  // namespace

void max_pool2d_rows(Suite& suite) {
  for (const Geometry& g : geometries) suite.add(forward(g));
  for (const Geometry& g : geometries) suite.add(backward(g));
  for (const Geometry& g : geometries) {
    suite.check(DataClass::closed_form, "max_pool2d", g.text() + ", adjoint",
                [g](Device device) { return adjoint_fault(device, g); });
  }
  const Geometry none{{0, 3, 8, 8}, {.kernel = 2}};
  for (Row row : {forward(none), backward(none)}) {
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  // The first of equals wins, +0 and -0 are equals, a NaN wins over everything, the first NaN.
  suite.answer(DataClass::special,
               answered({{1, 1, 2, 10}, {.kernel = 2}}, "ties and NaN",
                        {7, 7, -0.0, 0,    INFINITY, NAN, NAN, 1, -INFINITY, -INFINITY,
                         7, 7, 0,    -0.0, 2,        3,   NAN, 9, -INFINITY, -INFINITY},
                        {7, -0.0, NAN, NAN, -INFINITY}, {0, 0, 1, 0, 0}));
  suite.answer(DataClass::special,
               answered({{1, 1, 2, 2}, {.kernel = 3, .stride = 2, .padding = 1}},
                        "negative beside padding", {-1, -2, -3, -4}, {-1}, {4}));
  suite.answer(DataClass::special,
               answered({{1, 1, 1, 1}, {.kernel = 1, .stride = 1, .padding = 1}},
                        "windows all in padding", {5},
                        {-INFINITY, -INFINITY, -INFINITY, -INFINITY, 5, -INFINITY, -INFINITY,
                         -INFINITY, -INFINITY},
                        {255, 255, 255, 255, 0, 255, 255, 255, 255}));
  suite.answer(DataClass::closed_form,
               answered({{1, 1, 3, 4}, {.kernel = 2, .stride = Size2d(1, 2)}}, "by hand",
                        {1, 2, 3, 4, 8, 7, 6, 5, 9, 10, 11, 12}, {8, 6, 10, 12}, {2, 2, 3, 3}));
  Row known = backward({{1, 1, 3, 3}, {.kernel = 2, .stride = 1}});  // the centre wins twice
  known.arguments += ", by hand";
  known.inputs = {written({1, 1, 2, 2}, {1, 10, 100, 1000}),
                  written({1, 1, 2, 2}, {3, 2, 255, 3}, DType::u8)};
  known.answers = {{0, 0, 0, 0, 11, 0, 0, 0, 1000}};
  suite.answer(DataClass::closed_form, known);
}

}  // namespace conformance
