// Rows of avg_pool2d, adaptive_avg_pool2d and their gradients.
#include <algorithm>

#include "adjoint.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"
#include "ops/window.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// One pooling: sizes, and its two operations.
struct Pooling {
  Shape x, y;
  Operation forward, backward;
  std::string name, text;
  bool exact;  // divisors are powers of two
};

struct Window {
  Shape x;
  AvgPool2dOptions options = {};
  bool exact = false;
};

const std::array windows{
    Window{{2, 3, 8, 8}, {.kernel = 2}, true},
    Window{{2, 3, 9, 7}, {.kernel = 2}, true},  // a last row is left over
    Window{{2, 3, 9, 7}, {.kernel = 2, .ceil_mode = true}, true},
    Window{{2, 2, 9, 9}, {.kernel = 4, .stride = 2, .padding = 1}, true},  // overlapping
    Window{{2, 2, 9, 9}, {.kernel = 3, .stride = 2, .padding = 1}},
    Window{{2, 2, 9, 9}, {.kernel = 3, .stride = 2, .padding = 1, .count_include_pad = false}},
    Window{{2, 2, 8, 8}, {.kernel = 3, .stride = 2, .padding = {1, 0, 0, 1}}},
    Window{{2, 2, 8, 10}, {.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true}},
    Window{{2, 2, 10, 13}, {.kernel = {1, 3}, .stride = Size2d(2, 1)}},
    Window{{2, 2, 9, 9}, {.kernel = 2, .stride = 3}, true},  // some elements in no window
    Window{{2, 33, 6, 6}, {.kernel = 2}, true},
    Window{{2, 4, 5, 35}, {.kernel = {2, 32}, .stride = 1}, true},
    Window{{4, 64, 24, 24}, {.kernel = 2}, true},
};

struct Adaptive {
  Shape x;
  std::int64_t rows, columns;
  bool exact = false;
};

const std::array adaptive{
    Adaptive{{2, 3, 8, 8}, 1, 1, true},  // global
    Adaptive{{2, 16, 7, 7}, 1, 1},       // ... of a residual network
    Adaptive{{2, 3, 8, 4}, 4, 2, true},  // even parts
    Adaptive{{2, 3, 9, 7}, 4, 3},        // overlapping ones
    Adaptive{{2, 3, 3, 2}, 5, 7},        // more outputs than elements
    Adaptive{{2, 33, 5, 64}, 5, 1, true},
};

op::AvgPool2dParams params_of(const AvgPool2dOptions& o) {
  const Size2d stride = o.stride.value_or(o.kernel);
  return {{o.kernel.rows, o.kernel.columns},
          {stride.rows, stride.columns},
          {o.padding.top, o.padding.left, o.padding.bottom, o.padding.right},
          o.count_include_pad ? 1u : 0u};
}

Pooling pooling(const Window& w) {
  const AvgPool2dOptions& o = w.options;
  const op::AvgPool2dParams p = params_of(o);
  const auto size = [&](int axis) {
    const std::int64_t in = w.x[static_cast<std::size_t>(2 + axis)];
    const std::int64_t padding = p.padding[axis] + p.padding[axis + 2];
    const std::int64_t up = o.ceil_mode ? p.stride[axis] - 1 : 0;
    return places(in + up, p.kernel[axis], p.stride[axis], padding, 1);
  };
  return {w.x,
          {w.x[0], w.x[1], size(0), size(1)},
          Operation(op::AvgPool2d{p}),
          Operation(op::AvgPool2dBackward{p}),
          "avg_pool2d",
          dims_text(w.x) + setting("kernel", o.kernel, 0) +
              (o.stride ? setting("stride", *o.stride, 0) : "") + padding_text(o.padding) +
              (o.ceil_mode ? ", ceil mode" : "") +
              (o.count_include_pad ? "" : ", padding not counted"),
          w.exact};
}

Pooling pooling(const Adaptive& a) {
  const Shape y{a.x[0], a.x[1], a.rows, a.columns};
  return {a.x,
          y,
          Operation(op::AdaptiveAvgPool2d{}),
          Operation(op::AdaptiveAvgPool2dBackward{}),
          "adaptive_avg_pool2d",
          dims_text(a.x) + " to " + dims_text(y),
          a.exact};
}

Row forward(const Pooling& p) {
  Row row{.operation = p.forward, .arguments = p.text, .inputs = {{p.x}}, .outputs = {{p.y}}};
  if (!p.exact) row.classes = {DataClass::real};
  return row;
}

Row backward(const Pooling& p) {
  Row row{.operation = p.backward, .arguments = p.text, .inputs = {{p.y}}, .outputs = {{p.x}}};
  if (!p.exact) row.classes = {DataClass::real};
  return row;
}

std::string adjoint_fault(Device device, const Pooling& p) {
  Adjoint adjoint(device);
  const Tensor x = adjoint.integers(p.x), dy = adjoint.integers(p.y);
  const Tensor y = adjoint.run(p.forward, {x}, p.y), dx = adjoint.run(p.backward, {dy}, p.x);
  return Adjoint::compare(y, dy, x, dx);
}

void add_rows(Suite& suite, const Pooling& p) {
  suite.add(forward(p));
  suite.add(backward(p));
  if (!p.exact) return;
  suite.check(DataClass::closed_form, p.name, p.text + ", adjoint",
              [p](Device device) { return adjoint_fault(device, p); });
}

void add_empty(Suite& suite, const Pooling& p) {
  for (Row row : {forward(p), backward(p)}) {
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
}

void answer(Suite& suite, DataClass data, const Pooling& p, const char* what, std::vector<double> x,
            std::vector<double> y) {
  Row row = forward(p);
  row.arguments += std::string(", ") + what;
  row.inputs = {written(p.x, std::move(x))};
  row.trivial = std::ranges::count(y, 0) > 1;
  row.answers = {std::move(y)};
  row.ulps = 4;
  suite.answer(data, row);
}

// Which elements a divisor counts, where the rules differ: windows that lie half in the padding,
// and one that sticks out of it.
void answer_divisors(Suite& suite) {
  const std::vector<double> twelves(9, 12);
  AvgPool2dOptions options{.kernel = 2, .stride = 3, .padding = 1, .ceil_mode = true};
  answer(suite, DataClass::closed_form, pooling(Window{{1, 1, 3, 3}, options}), "divisors", twelves,
         {3, 3, 3, 3});
  options.count_include_pad = false;
  answer(suite, DataClass::closed_form, pooling(Window{{1, 1, 3, 3}, options}), "divisors", twelves,
         {12, 12, 12, 12});
  const AvgPool2dOptions out{.kernel = {1, 3}, .stride = 2, .padding = {0, 1}, .ceil_mode = true};
  answer(suite, DataClass::closed_form, pooling(Window{{1, 1, 1, 4}, out}),
         "a window that sticks out of the padding", {1, 2, 3, 4}, {1, 3, 2});
}

}  // namespace

void avg_pool2d_rows(Suite& suite) {
  for (const Window& one : windows) add_rows(suite, pooling(one));
  for (const Adaptive& one : adaptive) add_rows(suite, pooling(one));
  add_empty(suite, pooling(Window{{0, 3, 8, 8}, {.kernel = 2}}));
  add_empty(suite, pooling(Adaptive{{0, 3, 8, 8}, 1, 1}));
  answer_divisors(suite);
  answer(suite, DataClass::closed_form, pooling(Adaptive{{1, 1, 1, 5}, 1, 3}), "by hand",
         {1, 3, 5, 9, 11}, {2, 17.0 / 3, 10});
  answer(suite, DataClass::special, pooling(Window{{1, 1, 1, 8}, {.kernel = {1, 2}}}),
         "special values", {NAN, 1, INFINITY, 1, INFINITY, -INFINITY, 3, 5},
         {NAN, INFINITY, NAN, 4});
  const AvgPool2dOptions beside{.kernel = 1, .stride = 1, .padding = 1, .count_include_pad = false};
  answer(suite, DataClass::special, pooling(Window{{1, 1, 1, 1}, beside}), "windows all in padding",
         {5}, {0, 0, 0, 0, 5, 0, 0, 0, 0});
}

}  // namespace conformance
