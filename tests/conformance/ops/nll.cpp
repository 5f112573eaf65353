// Rows of nll and its gradient. Labels out of range are in machinery.cpp.
#include <fmt/format.h>

#include "ops/ops.hpp"
#include "ops/reduction_name.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

const std::array shapes{Shape{1, 2},       Shape{3, 1},    Shape{5, 31},
                        Shape{33, 10},     Shape{4, 33},   Shape{2, 5, 7},
                        Shape{2, 3, 5, 4}, Shape{512, 10}, Shape{1, 1000}};

struct Variant {
  std::string text;
  op::NllParams params;
  bool weighted;
};

Shape without_classes(const Shape& shape) {
  Shape each{shape[0]};
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) each.push_back(shape[axis]);
  return each;
}

std::vector<Variant> variants(Reduction reduction) {
  const std::string name = reduction_name(reduction);
  return {{name, {reduction, 0, 0, 0}, false},
          {name + ", weight", {reduction, 0, 0, 0}, true},
          {name + ", ignore 0, weight", {reduction, 1, 0, 0}, true},
          {name + ", ignore -1, smoothing 0.1, weight", {reduction, 1, -1, 0.1f}, true},
          {name + ", smoothing 0.5", {reduction, 0, 0, 0.5f}, false}};
}

// -1 among the labels where it is the one to ignore. The first one always counts.
Argument labels_of(const Shape& shape, const Variant& v) {
  const double last = static_cast<double>(shape[1] - 1);
  const double other = v.params.ignores != 0 ? v.params.ignore_index : 0;
  const Fill any = values({last, other, last, std::floor(last / 2), other});
  return {without_classes(shape), DType::i64, any, any};
}

void add_weight(Row& row, const Shape& shape, const Variant& v) {
  if (v.weighted) row.inputs.push_back({{shape[1]}, DType::f32, whole(1, 3), reals(0.5, 2)});
}

Row forward(const Shape& shape, const Variant& v) {
  Row row{.operation = Operation(op::Nll{v.params}),
          .arguments = dims_text(shape) + ", " + v.text,
          .inputs = {{shape, DType::f32, whole(-4, -1), reals(-8, -0.1)}, labels_of(shape, v)},
          .outputs = {{loss_shape(v.params.reduction, without_classes(shape))}, {Shape{}}}};
  add_weight(row, shape, v);
  return row;
}

Row backward(const Shape& shape, const Variant& v) {
  Row row{.operation = Operation(op::NllBackward{v.params}),
          .arguments = dims_text(shape) + ", " + v.text,
          .inputs = {{loss_shape(v.params.reduction, without_classes(shape)), DType::f32,
                      whole(1, 4), reals(0.5, 2)},
                     labels_of(shape, v),
                     {Shape{}, DType::f32, values({8}), reals(1, 9)}},
          .outputs = {{shape}},
          .trivial = v.params.label_smoothing == 0};  // 0 beside the labels
  add_weight(row, shape, v);
  return row;
}

// Whether every share of a label, and what is divided by, is a power of two.
bool is_exact(const Shape& shape, const Variant& v) {
  const bool divides = (shape[1] & (shape[1] - 1)) == 0;
  if (v.params.reduction == Reduction::mean || v.params.label_smoothing == 0.1f) return false;
  return divides || v.params.label_smoothing == 0;
}

void add_rows(Suite& suite, const Shape& shape, const Variant& v, std::vector<Layout> layouts) {
  // Of one class all labels are ignored: that is a row of its own.
  if (v.params.ignores != 0 && shape[1] == 1) return;
  for (Row row : {forward(shape, v), backward(shape, v)}) {
    if (!is_exact(shape, v)) row.classes = {DataClass::real};
    row.layouts = layouts;
    suite.add(row);
  }
}

void answer_rows(Suite& suite) {
  // Weights 1, 2, 4; labels 2, ignored, 0: the mean is (4 * 3 + 1 * 2) / 5.
  const Variant weighted{"mean, by hand", {Reduction::mean, 1, 1, 0}, true};
  Row known = forward({3, 3}, weighted);
  known.inputs = {written({3, 3}, {-1, -2, -3, -1, -1, -1, -2, -5, -7}),
                  written({3}, {2, 1, 0}, DType::i64), written({3}, {1, 2, 4})};
  known.answers = {{2.8f}, {5}};
  suite.answer(DataClass::closed_form, known);
  Row gradient = backward({3, 3}, weighted);
  gradient.inputs = {written({}, {5}), written({3}, {2, 1, 0}, DType::i64), written({}, {5}),
                     written({3}, {1, 2, 4})};
  gradient.answers = {{0, 0, -4, 0, 0, 0, -1, 0, 0}};
  suite.answer(DataClass::closed_form, gradient);

  // Half of each label, and a quarter of the half for each of 4 classes.
  const Variant smooth{"sum, smoothing 0.5, by hand", {Reduction::sum, 0, 0, 0.5f}, false};
  Row smoothed = forward({1, 4}, smooth);
  smoothed.inputs = {written({1, 4}, {-8, -16, -24, -32}), written({1}, {1}, DType::i64)};
  smoothed.answers = {{18}, {1}};
  suite.answer(DataClass::closed_form, smoothed);
  Row smoothed_gradient = backward({1, 4}, smooth);
  smoothed_gradient.inputs = {written({}, {8}), written({1}, {1}, DType::i64), written({}, {1})};
  smoothed_gradient.answers = {{-1, -5, -1, -1}};
  suite.answer(DataClass::closed_form, smoothed_gradient);

  Row ignored = forward({2, 2}, {"mean, all ignored", {Reduction::mean, 1, 0, 0}, false});
  ignored.inputs = {written({2, 2}, {-1, -2, -3, -4}), written({2}, {0, 0}, DType::i64)};
  ignored.answers = {{NAN}, {0}};
  suite.answer(DataClass::special, ignored);
  Row beside = forward({2, 2}, {"none, infinities", {Reduction::none, 0, 0, 0}, false});
  beside.inputs = {written({2, 2}, {0, -INFINITY, NAN, -1}), written({2}, {1, 1}, DType::i64)};
  beside.answers = {{INFINITY, 1}, {2}};
  suite.answer(DataClass::special, beside);
  Row nothing = forward({0, 5}, {"sum", {Reduction::sum, 0, 0, 0}, false});
  nothing.answers = {{0}, {0}};
  suite.answer(DataClass::special, nothing);
}

}  // namespace

void nll_rows(Suite& suite) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    for (const Variant& v : variants(reduction)) {
      for (const Shape& shape : shapes) add_rows(suite, shape, v, {Layout::contiguous});
      add_rows(suite, {6, 8, 3}, v, {all_layouts.begin(), all_layouts.end()});
    }
  }
  answer_rows(suite);
}

}  // namespace conformance
