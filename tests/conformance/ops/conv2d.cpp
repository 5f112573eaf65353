// Rows of conv2d and its gradients.
#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/window.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Geometry = ConvolutionGeometry;

const std::array geometries{
    //        N  C   H   W     O   C  KH KW
    Geometry{{1, 1, 1, 1}, {1, 1, 1, 1}},
    Geometry{{2, 1, 5, 5}, {1, 1, 3, 3}},
    Geometry{{2, 3, 9, 9}, {4, 3, 3, 3}, {.stride = 2, .padding = 1}},
    Geometry{{2, 3, 9, 9}, {4, 3, 3, 3}, {.stride = 2, .padding = 1}, true},
    Geometry{{2, 8, 7, 5}, {6, 8, 1, 1}, {}, true},       // pointwise
    Geometry{{2, 8, 7, 5}, {6, 8, 1, 1}, {.stride = 2}},  // pointwise, skipping
    Geometry{{2, 2, 11, 13}, {3, 2, 3, 3}, {.stride = 2, .padding = 2, .dilation = 2}},
    Geometry{{2, 3, 8, 8}, {5, 3, 3, 3}, {.padding = {1, 0, 2, 3}}, true},
    Geometry{{2, 2, 12, 13}, {3, 2, 2, 3}, {.stride = {2, 3}, .dilation = {3, 1}}},
    Geometry{{2, 4, 10, 10}, {4, 4, 5, 5}, {.padding = 2}},
    Geometry{{2, 3, 6, 17}, {4, 3, 1, 7}, {.padding = {0, 3}}, true},
    Geometry{{2, 3, 17, 6}, {4, 3, 7, 1}, {.stride = {3, 1}}},
    Geometry{{2, 2, 3, 3}, {2, 2, 5, 5}, {.padding = 2}},  // kernel over the edges
    Geometry{{2, 1, 3, 3}, {2, 1, 2, 2}, {.padding = 3}},  // windows all in padding
    Geometry{{2, 4, 8, 8}, {6, 2, 3, 3}, {.padding = 1, .groups = 2}, true},
    Geometry{{2, 6, 9, 9}, {6, 1, 3, 3}, {.stride = 2, .padding = 1, .groups = 6}},  // depthwise
    Geometry{{2, 6, 7, 7}, {12, 1, 3, 3}, {.dilation = 2, .groups = 6}, true},
    Geometry{{3, 31, 6, 33}, {33, 31, 3, 3}, {.padding = 1}, true},  // no multiple of a vector
    Geometry{{8, 32, 8, 8}, {32, 32, 3, 3}, {.padding = 1}, true},   // Winograd's tiles of four
    Geometry{{4, 1, 28, 28}, {32, 1, 3, 3}, {}, true},               // the MNIST CNN, first
    Geometry{{1, 32, 26, 26}, {64, 32, 3, 3}, {}, true},             // ... and second
};

// With 16-bit factors: one of each kind of kernel that a back end may have.
const std::array narrow_geometries{
    Geometry{{1, 1, 1, 1}, {1, 1, 1, 1}},
    Geometry{{2, 3, 9, 9}, {4, 3, 3, 3}, {.stride = 2, .padding = 1}, true},
    Geometry{{2, 8, 7, 5}, {6, 8, 1, 1}, {}, true},
    Geometry{{2, 2, 11, 13}, {3, 2, 3, 3}, {.stride = 2, .padding = 2, .dilation = 2}},
    Geometry{{2, 3, 8, 8}, {5, 3, 3, 3}, {.padding = {1, 0, 2, 3}}, true},
    Geometry{{2, 4, 8, 8}, {6, 2, 3, 3}, {.padding = 1, .groups = 2}, true},
    Geometry{{2, 6, 9, 9}, {6, 1, 3, 3}, {.stride = 2, .padding = 1, .groups = 6}},
    Geometry{{2, 16, 9, 9}, {32, 16, 3, 3}, {.padding = 1}, true},
    Geometry{{3, 31, 6, 33}, {33, 31, 3, 3}, {.padding = 1}, true},
    Geometry{{4, 1, 28, 28}, {32, 1, 3, 3}, {}, true},
};

Argument weight_of(const Geometry& g) {
  Argument weight{g.weight};
  if (g.weight.count() == 1) weight.exact = whole(1, 4);
  return weight;
}

Argument image(const Shape& shape) {
  Argument image{shape};
  if (shape.count() == 1) image.exact = whole(1, 4);
  return image;
}

Row forward(const Geometry& g) {
  Row row{.operation = Operation(op::Conv2d{g.params()}),
          .arguments = g.text(),
          .inputs = {image(g.x), weight_of(g)},
          .outputs = {{g.y()}},
          .terms = g.weight.count() / g.weight[0]};
  if (g.bias) row.inputs.push_back({{g.weight[0]}});
  return row;
}

Row backward_data(const Geometry& g) {
  return {.operation = Operation(op::Conv2dBackwardData{g.params()}),
          .arguments = g.text(),
          .inputs = {image(g.y()), weight_of(g)},
          .outputs = {{g.x}},
          .terms = g.weight.count() / g.weight[1] / g.options.groups};
}

Row backward_weight(const Geometry& g) {
  Row row{.operation = Operation(op::Conv2dBackwardWeight{g.params()}),
          .arguments = g.text(),
          .inputs = {image(g.x), image(g.y())},
          .outputs = {{g.weight}},
          .terms = g.y().count() / g.weight[0],
          .adds_to = 1};
  if (g.bias) {
    row.outputs.push_back({{g.weight[0]}});
    row.adds_to = 3;
  }
  return row;
}

// The form is linear in x and in the weight: two identities.
std::string adjoint_fault(Device device, const Geometry& g) {
  Adjoint adjoint(device);
  const Tensor x = adjoint.integers(g.x), weight = adjoint.integers(g.weight);
  const Tensor dy = adjoint.integers(g.y());
  const Tensor y = adjoint.run(Operation(op::Conv2d{g.params()}), {x, weight}, g.y());
  const Tensor dx = adjoint.run(Operation(op::Conv2dBackwardData{g.params()}), {dy, weight}, g.x);
  const Tensor dweight =
      adjoint.run(Operation(op::Conv2dBackwardWeight{g.params()}), {x, dy}, g.weight);
  const std::string fault = Adjoint::compare(y, dy, x, dx);
  return fault.empty() ? Adjoint::compare(y, dy, weight, dweight) : fault;
}

}  // namespace

void conv2d_rows(Suite& suite) {
  for (const Geometry& g : geometries) suite.add(forward(g));
  for (const Geometry& g : geometries) suite.add(backward_data(g));
  for (const Geometry& g : geometries) suite.add(backward_weight(g));
  for (const Geometry& g : geometries) {
    if (g.x.count() == 1) continue;
    suite.check(DataClass::closed_form, "conv2d", g.text() + ", adjoint",
                [g](Device device) { return adjoint_fault(device, g); });
  }

  for (const DType dtype : {DType::bf16, DType::f16}) {
    for (const Geometry& g : narrow_geometries) {
      suite.add(with_factors(forward(g), dtype));
      suite.add(with_factors(backward_data(g), dtype));
      suite.add(with_factors(backward_weight(g), dtype));
    }
  }

  const Geometry none{{0, 3, 8, 8}, {4, 3, 3, 3}, {}, true};
  for (Row row : {forward(none), backward_data(none)}) {
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  Row no_samples = backward_weight(none);  // empty sums
  no_samples.adds_to = 0;
  no_samples.answers = {std::vector<double>(4 * 3 * 3 * 3), std::vector<double>(4)};
  suite.answer(DataClass::special, no_samples);

  Row known = forward({{1, 1, 3, 3}, {1, 1, 2, 2}, {.padding = {1, 0, 0, 0}}, true});
  known.arguments += ", by hand";
  known.inputs = {written({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                  written({1, 1, 2, 2}, {1, 10, 100, 1000}), written({1}, {0.5})};
  known.answers = {{2100.5, 3200.5, 5421.5, 6532.5, 8754.5, 9865.5}};
  suite.answer(DataClass::closed_form, known);

  // One infinity reaches the nine outputs whose windows it lies in, and no other.
  const Geometry wide{{1, 1, 5, 7}, {1, 1, 3, 3}, {.padding = 1}};
  Row infinite = forward(wide);
  infinite.arguments += ", one infinity";
  std::vector<double> x(35, 1), y(35, 9);
  x[2 * 7 + 3] = INFINITY;
  for (std::size_t row_index = 0; row_index < 5; ++row_index) {
    for (std::size_t column = 0; column < 7; ++column) {
      const double rows = row_index == 0 || row_index == 4 ? 2 : 3;
      const double columns = column == 0 || column == 6 ? 2 : 3;
      const bool touched = row_index >= 1 && row_index <= 3 && column >= 2 && column <= 4;
      y[row_index * 7 + column] = touched ? INFINITY : rows * columns;
    }
  }
  infinite.inputs = {written({1, 1, 5, 7}, x), written({1, 1, 3, 3}, {1})};
  infinite.answers = {y};
  suite.answer(DataClass::special, infinite);
}

}  // namespace conformance
