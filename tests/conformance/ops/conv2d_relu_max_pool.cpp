// Rows of conv2d_relu_max_pool and its gradients.
#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/window.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// How many outputs have one: three of four, one of 16, all.
enum class Winners { most, few, all };

// `bias` of the convolution says whether the gradient of the weight comes with that of the bias.
struct Geometry {
  ConvolutionGeometry conv;
  MaxPool2dOptions options;
  bool mask = false;
  Winners winners = Winners::most;

  [[nodiscard]] PoolGeometry pool() const { return {conv.y(), options}; }
  [[nodiscard]] Shape y() const { return pool().y(); }
  [[nodiscard]] std::int64_t channels() const { return conv.weight[0]; }
  [[nodiscard]] op::Conv2dReluMaxPoolParams params() const {
    const op::MaxPool2dParams p = pool().params();
    return {conv.params(),
            {p.kernel[0], p.kernel[1]},
            {p.stride[0], p.stride[1]},
            {p.padding[0], p.padding[1], p.padding[2], p.padding[3]}};
  }
  [[nodiscard]] std::string text() const {
    return conv.text() + ", pool of " + pool().text() + (mask ? ", mask" : "") +
           (winners == Winners::few   ? ", few winners"
            : winners == Winners::all ? ", all winners"
                                      : "");
  }
};

const std::array geometries{
    //         N  C   H   W     O   C  KH KW
    Geometry{{{2, 1, 9, 9}, {3, 1, 3, 3}, {}, true}, {.kernel = 2}},
    Geometry{{{3, 3, 11, 8}, {17, 3, 3, 3}, {.padding = 1}, true},
             {.kernel = 3, .stride = 2, .padding = 1},
             true},
    Geometry{{{2, 17, 7, 7}, {48, 17, 1, 1}}, {.kernel = 3}},
    Geometry{{{1, 2, 13, 12}, {5, 2, 5, 5}, {.padding = 2}, true},
             {.kernel = 2, .ceil_mode = true},
             true},
    Geometry{{{3, 1, 16, 15}, {8, 1, 7, 7}, {.stride = 2, .padding = 3}, true}, {.kernel = 2}},
    Geometry{
        {{2, 4, 10, 9}, {6, 2, 3, 3}, {.padding = {1, 0, 2, 1}, .dilation = 2, .groups = 2}, true},
        {.kernel = 3, .stride = 2, .ceil_mode = true}},
    Geometry{{{2, 6, 8, 8}, {6, 1, 3, 3}, {.padding = 1, .groups = 6}, true},  // depthwise
             {.kernel = 2},
             true},
    Geometry{{{5, 16, 6, 7}, {60, 16, 3, 3}, {.padding = 1}, true}, {.kernel = 2}, true},
    Geometry{{{7, 32, 8, 8}, {32, 32, 3, 3}, {.padding = 1}, true}, {.kernel = 2}, true},
    Geometry{{{3, 32, 7, 7}, {48, 32, 3, 3}}, {.kernel = 3, .stride = 1, .padding = 1}},
    Geometry{{{2, 3, 7, 7}, {4, 3, 2, 2}}, {.kernel = 2, .stride = 3}},  // some in no window
    Geometry{{{7, 3, 24, 23}, {17, 3, 3, 3}, {.padding = 1}, true}, {.kernel = 2}, true},
    Geometry{{{2, 1, 28, 28}, {32, 1, 3, 3}, {}, true}, {.kernel = 2}, true},
    Geometry{{{1, 32, 26, 26}, {64, 32, 3, 3}, {}, true}, {.kernel = 2}, true},  // the MNIST CNN's
};

Row forward(const Geometry& g) {
  Row row{.operation = Operation(op::Conv2dReluMaxPool{g.params()}),
          .arguments = g.text(),
          .inputs = {{g.conv.x}, {g.conv.weight}, {{g.channels()}}},
          .outputs = {{g.y()}, {g.y(), DType::u8}},
          .terms = g.conv.weight.count() / g.channels()};
  if (g.mask) {
    row.inputs.push_back(
        {{g.conv.x[0], g.channels()}, DType::f32, values({2, 0, 1}), values({1.25, 1.25, 0})});
  }
  return row;
}

Argument winners_of(const Geometry& g) {
  const Fill fill = [g, some = winners(g.pool())](const Draw& draw, std::span<double> to) {
    some(draw, to);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const bool none = g.winners == Winners::few ? i % 16 != 3 : i % 4 == 1;
      if (none && g.winners != Winners::all) to[i] = 255;
    }
  };
  return {g.y(), DType::u8, fill, fill};
}

Argument dy_of(const Geometry& g) {
  return {g.y(), DType::f32, whole(1, 4)};
}

// In how many windows an element may lie.
std::int64_t overlap(const Geometry& g) {
  const auto p = g.params();
  return std::int64_t{p.pool_kernel[0]} * p.pool_kernel[1];
}

Row backward_data(const Geometry& g) {
  return {.operation = Operation(op::Conv2dReluMaxPoolBackwardData{g.params()}),
          .arguments = g.text(),
          .inputs = {dy_of(g), winners_of(g), {g.conv.weight}},
          .outputs = {{g.conv.x}},
          .terms = g.conv.weight.count() / g.conv.weight[1] / g.conv.options.groups * overlap(g)};
}

Row backward_weight(const Geometry& g) {
  Row row{.operation = Operation(op::Conv2dReluMaxPoolBackwardWeight{g.params()}),
          .arguments = g.text(),
          .inputs = {{g.conv.x}, dy_of(g), winners_of(g)},
          .outputs = {{g.conv.weight}},
          .terms = g.conv.y().count() / g.channels() * overlap(g),
          .adds_to = 1};
  if (g.conv.bias) {
    row.outputs.push_back({{g.channels()}});
    row.adds_to = 3;
  }
  return row;
}

// Without a bias, and for its own winners, the form is linear in x and in the weight.
std::string adjoint_fault(Device device, const Geometry& g) {
  Adjoint adjoint(device);
  const Tensor x = adjoint.integers(g.conv.x), weight = adjoint.integers(g.conv.weight);
  const Tensor dy = adjoint.integers(g.y());
  const Tensor bias = zeros({g.channels()}, {.device = Device::host()});
  const std::vector<Tensor> y =
      adjoint.run(Operation(op::Conv2dReluMaxPool{g.params()}), {x, weight, bias},
                  std::vector<OutputKind>{{DType::f32, g.y()}, {DType::u8, g.y()}});
  const Tensor dx = adjoint.run(Operation(op::Conv2dReluMaxPoolBackwardData{g.params()}),
                                {dy, y[1], weight}, g.conv.x);
  const Tensor dweight = adjoint.run(Operation(op::Conv2dReluMaxPoolBackwardWeight{g.params()}),
                                     {x, dy, y[1]}, g.conv.weight);
  const std::string fault = Adjoint::compare(y[0], dy, x, dx);
  return fault.empty() ? Adjoint::compare(y[0], dy, weight, dweight) : fault;
}

// The smaller rows have been through all layouts.
void add(Suite& suite, const Geometry& g, Row row) {
  if (g.conv.y().count() > 10000) {
    row.layouts = {Layout::contiguous, Layout::channels_last, Layout::any};
  }
  suite.add(std::move(row));
}

// A convolution that copies its input, of one channel, to `channels`.
Geometry copies(const Shape& x, std::int64_t channels, const MaxPool2dOptions& pool) {
  return {{x, {channels, 1, 1, 1}, {}, true}, pool};
}

struct Known {
  const char* what;
  Shape x;
  MaxPool2dOptions pool;
  std::vector<double> values, y, winners;
};

const Known known[] = {
    // The first of equals wins, a NaN over everything; what isn't above 0 doesn't win.
    {"ties and NaN",
     {1, 1, 2, 12},
     {.kernel = 2},
     {7, 7, -0.0, 0,    INFINITY, NAN, NAN, 1, -INFINITY, -INFINITY, -3, -1,  //
      7, 7, 0,    -0.0, 2,        3,   NAN, 9, -INFINITY, -INFINITY, -2, 5},
     {7, 0, NAN, NAN, 0, 5},
     {0, 255, 1, 0, 255, 3}},
    {"negative beside padding",
     {1, 1, 2, 2},
     {.kernel = 3, .stride = 2, .padding = 1},
     {-1, -2, -3, -4},
     {0},
     {255}},
    {"windows all in padding",
     {1, 1, 1, 1},
     {.kernel = 1, .stride = 1, .padding = 1},
     {5},
     {0, 0, 0, 0, 5, 0, 0, 0, 0},
     {255, 255, 255, 255, 0, 255, 255, 255, 255}},
};

void special_rows(Suite& suite) {
  for (const std::int64_t channels : {1, 17, 32}) {
    for (const Known& one : known) {
      const auto count = one.y.size() * static_cast<std::size_t>(channels);
      Geometry g = copies(one.x, channels, one.pool);
      Row row = forward(g);
      row.arguments += std::string(", ") + one.what;
      row.inputs = {written(one.x, one.values), written(g.conv.weight, {1}),
                    written({channels}, {0})};
      row.answers = {repeated(one.y, count), repeated(one.winners, count)};
      suite.answer(DataClass::special, row);

      // Channel 0 is dropped, whatever it is; the others are doubled.
      g.mask = true;
      Row masked = forward(g);
      masked.arguments += std::string(", ") + one.what;
      masked.inputs = row.inputs;
      std::vector<double> mask(static_cast<std::size_t>(channels), 2);
      mask[0] = 0;
      masked.inputs.push_back(written({1, channels}, mask));
      masked.answers = row.answers;
      for (double& y : masked.answers[0]) y *= 2;
      std::fill_n(masked.answers[0].begin(), one.y.size(), 0);
      std::fill_n(masked.answers[1].begin(), one.y.size(), 255);
      suite.answer(DataClass::special, masked);
    }
  }

  const Geometry none{{{0, 3, 8, 8}, {4, 3, 3, 3}, {}, true}, {.kernel = 2}, true};
  for (Row row : {forward(none), backward_data(none)}) {
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  Row no_samples = backward_weight(none);  // empty sums
  no_samples.adds_to = 0;
  no_samples.answers = {std::vector<double>(4 * 3 * 3 * 3), std::vector<double>(4)};
  suite.answer(DataClass::special, no_samples);
}

// A NaN among more windows than a vector has lanes, each of which takes its first element.
void not_a_number(Suite& suite) {
  const Geometry g = copies({1, 1, 6, 6}, 1, {.kernel = 2, .stride = 1});
  std::vector<double> dy(25, 1), dx(36, 0);
  dy[7] = NAN;
  for (std::size_t i = 0; i < dy.size(); ++i) dx[i / 5 * 6 + i % 5] = 3 * dy[i];
  const Argument gradient = written({1, 1, 5, 5}, dy);
  const Argument winners = written({1, 1, 5, 5}, std::vector<double>(25, 0), DType::u8);
  Row data = backward_data(g);
  data.arguments += ", NaN";
  data.inputs = {gradient, winners, written({1, 1, 1, 1}, {3})};
  data.answers = {dx};
  suite.answer(DataClass::special, data);
  Row weight = backward_weight(g);
  weight.arguments += ", NaN";
  weight.inputs = {written({1, 1, 6, 6}, std::vector<double>(36, 2)), gradient, winners};
  weight.answers = {{NAN}, {NAN}};
  weight.adds_to = 0;
  suite.answer(DataClass::special, weight);
}

// The centre wins twice, and what has no winner isn't read.
void gradients_by_hand(Suite& suite) {
  const Geometry g = copies({1, 1, 3, 3}, 1, {.kernel = 2, .stride = 1});
  const Argument dy = written({1, 1, 2, 2}, {1, 10, NAN, 1000});
  const Argument winners = written({1, 1, 2, 2}, {3, 2, 255, 3}, DType::u8);
  Row data = backward_data(g);
  data.arguments += ", by hand";
  data.inputs = {dy, winners, written({1, 1, 1, 1}, {3})};
  data.answers = {{0, 0, 0, 0, 33, 0, 0, 0, 3000}};
  suite.answer(DataClass::closed_form, data);
  Row weight = backward_weight(g);
  weight.arguments += ", by hand";
  weight.inputs = {written({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), dy, winners};
  weight.answers = {{9055}, {1011}};
  weight.adds_to = 0;
  suite.answer(DataClass::closed_form, weight);
}

}  // namespace

void conv2d_relu_max_pool_rows(Suite& suite) {
  for (const Geometry& g : geometries) add(suite, g, forward(g));
  for (const DType dtype : {DType::bf16, DType::f16}) {
    suite.add(with_factors(forward(geometries[0]), dtype));
  }
  for (const Geometry& g : geometries) add(suite, g, backward_data(g));
  for (const Geometry& g : geometries) add(suite, g, backward_weight(g));
  // Overlapping windows: how many winners there are may decide on the kernel.
  const MaxPool2dOptions overlapping{.kernel = 2, .stride = 1};
  for (const Winners winners : {Winners::few, Winners::all}) {
    Geometry one{{{1, 1, 14, 14}, {32, 1, 3, 3}}, overlapping, false, winners};
    Geometry other{{{1, 1, 18, 18}, {32, 1, 2, 2}, {}, true}, overlapping, false, winners};
    for (Row row : {backward_data(one), backward_weight(other)}) {
      row.layouts = {Layout::contiguous, Layout::channels_last};
      suite.add(std::move(row));
    }
  }
  for (const Geometry& g : geometries) {
    suite.check(DataClass::closed_form, "conv2d_relu_max_pool", g.text() + ", adjoint",
                [g](Device device) { return adjoint_fault(device, g); });
  }
  special_rows(suite);
  not_a_number(suite);
  gradients_by_hand(suite);
}

}  // namespace conformance
