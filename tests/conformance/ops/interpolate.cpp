// Rows of interpolate and its gradient.
#include "adjoint.hpp"
#include "backplane/functional.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Resize {
  Shape x;
  std::int64_t rows, columns;
  op::InterpolateParams params;
  bool exact = false;  // weights are sums of few powers of two

  [[nodiscard]] Shape y() const { return {x[0], x[1], rows, columns}; }
  [[nodiscard]] std::string text() const {
    return dims_text(x) + " to " + dims_text(y()) +
           (params.mode == Interpolation::nearest ? ", nearest" : ", bilinear") +
           (params.align_corners != 0 ? ", align_corners" : "");
  }
};

constexpr op::InterpolateParams nearest{Interpolation::nearest, 0};
constexpr op::InterpolateParams bilinear{Interpolation::bilinear, 0};
constexpr op::InterpolateParams corners{Interpolation::bilinear, 1};

const std::array resizes{
    Resize{{2, 3, 4, 5}, 8, 10, nearest, true},
    Resize{{2, 3, 7, 5}, 3, 8, nearest, true},
    Resize{{2, 3, 2, 3}, 7, 7, nearest, true},
    Resize{{2, 33, 6, 6}, 12, 12, nearest, true},
    Resize{{2, 3, 4, 5}, 8, 10, bilinear, true},
    Resize{{2, 3, 8, 16}, 4, 4, bilinear, true},  // smaller
    Resize{{2, 3, 5, 5}, 5, 5, bilinear, true},   // as it is
    Resize{{2, 3, 7, 5}, 3, 8, bilinear},
    Resize{{2, 3, 4, 5}, 12, 15, bilinear},  // an odd factor: some weights are 0
    Resize{{2, 3, 1, 1}, 4, 3, bilinear, true},
    Resize{{2, 16, 12, 12}, 24, 24, bilinear, true},
    Resize{{2, 3, 31, 33}, 2, 3, bilinear},
    Resize{{2, 3, 4, 5}, 7, 9, corners, true},
    Resize{{2, 3, 7, 5}, 3, 8, corners},
    Resize{{2, 3, 6, 4}, 1, 1, corners, true},
    Resize{{2, 3, 1, 1}, 4, 3, corners, true},
    Resize{{4, 64, 12, 12}, 24, 24, corners},
};

Row forward(const Resize& r) {
  Row row{.operation = Operation(op::Interpolate{r.params}),
          .arguments = r.text(),
          .inputs = {{r.x}},
          .outputs = {{r.y()}}};
  if (!r.exact) row.classes = {DataClass::real};
  return row;
}

Row backward(const Resize& r) {
  Row row{.operation = Operation(op::InterpolateBackward{r.params}),
          .arguments = r.text(),
          .inputs = {{r.y()}},
          .outputs = {{r.x}},
          .trivial = 8 * r.y().count() < r.x.count()};  // most elements have no weight
  if (!r.exact) row.classes = {DataClass::real};
  return row;
}

std::string adjoint_fault(Device device, const Resize& r) {
  Adjoint adjoint(device);
  const Tensor x = adjoint.integers(r.x), dy = adjoint.integers(r.y());
  const Tensor y = adjoint.run(Operation(op::Interpolate{r.params}), {x}, r.y());
  const Tensor dx = adjoint.run(Operation(op::InterpolateBackward{r.params}), {dy}, r.x);
  return Adjoint::compare(y, dy, x, dx);
}

void answer(Suite& suite, DataClass data, const Resize& r, const char* what, std::vector<double> x,
            std::vector<double> y) {
  Row row = forward(r);
  row.arguments += std::string(", ") + what;
  row.inputs = {written(r.x, std::move(x))};
  row.answers = {std::move(y)};
  row.ulps = 4;
  suite.answer(data, row);
}

}  // namespace

void interpolate_rows(Suite& suite) {
  for (const Resize& one : resizes) suite.add(forward(one));
  for (const Resize& one : resizes) suite.add(backward(one));
  for (const Resize& one : resizes) {
    if (!one.exact) continue;
    suite.check(DataClass::closed_form, "interpolate", one.text() + ", adjoint",
                [one](Device device) { return adjoint_fault(device, one); });
  }
  const Resize none{{0, 3, 4, 4}, 8, 8, bilinear};
  for (Row row : {forward(none), backward(none)}) {
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
  answer(suite, DataClass::closed_form, {{1, 1, 1, 5}, 1, 3, nearest}, "by hand",
         {10, 20, 30, 40, 50}, {10, 20, 40});
  answer(suite, DataClass::closed_form, {{1, 1, 1, 2}, 1, 4, bilinear}, "by hand", {4, 8},
         {4, 5, 7, 8});
  answer(suite, DataClass::closed_form, {{1, 1, 1, 3}, 1, 5, corners}, "by hand", {4, 8, 16},
         {4, 6, 8, 12, 16});
  answer(suite, DataClass::closed_form, {{1, 1, 2, 2}, 1, 1, bilinear}, "by hand", {1, 2, 3, 6},
         {3});
  // With a factor of 3 every third output lies on an element, and its neighbour has no say.
  answer(suite, DataClass::special, {{1, 1, 1, 3}, 1, 9, bilinear}, "a NaN", {3, NAN, 6},
         {3, 3, NAN, NAN, NAN, NAN, NAN, 6, 6});
}

}  // namespace conformance
