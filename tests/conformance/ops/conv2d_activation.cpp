// Rows of conv2d_activation.
#include "ops/activation_name.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/window.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Geometry {
  ConvolutionGeometry conv;
  op::Activation activation;
};

const std::array geometries{
    //         N  C   H   W     O   C  KH KW
    Geometry{{{2, 3, 9, 9}, {4, 3, 3, 3}, {.stride = 2, .padding = 1}, true}, op::Activation::relu},
    Geometry{{{3, 17, 7, 5}, {48, 17, 1, 1}, {}, true}, op::Activation::sigmoid},
    Geometry{{{1, 1, 11, 13}, {3, 1, 5, 5}, {.padding = 2}, true}, op::Activation::tanh},
    Geometry{{{5, 3, 12, 9}, {17, 3, 7, 7}, {.stride = 2, .padding = 3}, true},
             op::Activation::relu},
    Geometry{{{2, 4, 8, 8}, {6, 2, 3, 3}, {.padding = 1, .dilation = 2, .groups = 2}},
             op::Activation::relu},
    Geometry{{{2, 6, 9, 9}, {6, 1, 3, 3}, {.padding = 1, .groups = 6}, true},  // depthwise
             op::Activation::relu},
    Geometry{{{3, 16, 8, 7}, {60, 16, 3, 3}, {.padding = {1, 0, 0, 2}}, true},
             op::Activation::none},
    Geometry{{{7, 3, 24, 23}, {17, 3, 3, 3}, {.padding = 1}}, op::Activation::relu},
    Geometry{{{7, 32, 6, 6}, {32, 32, 3, 3}}, op::Activation::sigmoid},
    Geometry{{{7, 32, 6, 6}, {48, 32, 3, 3}, {}, true}, op::Activation::relu},
};

Row row_of(const Geometry& g) {
  Row row{.operation = Operation(op::Conv2dActivation{g.conv.params(), g.activation}),
          .arguments = std::string(activation_name(g.activation)) + ", " + g.conv.text(),
          .inputs = {{g.conv.x}, {g.conv.weight}},
          .outputs = {{g.conv.y()}},
          .terms = g.conv.weight.count() / g.conv.weight[0],
          .classes = classes_of(g.activation)};
  if (g.conv.bias) row.inputs.push_back({{g.conv.weight[0]}});
  return row;
}

}  // namespace

void conv2d_activation_rows(Suite& suite) {
  for (const Geometry& g : geometries) suite.add(row_of(g));
  suite.add(with_factors(row_of(geometries[0]), DType::bf16));
  suite.add(with_factors(row_of(geometries[8]), DType::f16));
  const ConvolutionGeometry none{{0, 3, 8, 8}, {4, 3, 3, 3}, {}, true};
  Row no_samples = row_of({none, op::Activation::relu});
  no_samples.classes = {DataClass::special};
  no_samples.trivial = true;
  suite.add(no_samples);

  // One input channel and weights of 1: every output is the function of its pixel. In the vector
  // body and in its tail, with channels that fill vectors and such that don't.
  for (const std::int64_t channels : {1, 17, 32}) {
    const ConvolutionGeometry copies{{1, 1, 5, 7}, {channels, 1, 1, 1}};
    for (const KnownActivation& known : known_activations) {
      Row row = row_of({copies, known.activation});
      row.arguments += ", special values";
      row.inputs = {written(copies.x, known.x), written(copies.weight, {1})};
      const auto plane = static_cast<std::size_t>(copies.x.count());
      const std::vector<double> y = repeated(known.y, plane);
      row.answers = {repeated(y, plane * static_cast<std::size_t>(channels))};
      row.ulps = known.ulps;
      suite.answer(DataClass::special, row);
    }
  }
}

}  // namespace conformance
