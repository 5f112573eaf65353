// Rows of cross_entropy and its gradient. Labels out of range are in machinery.cpp.
#include "ops/ops.hpp"
#include "ops/reduction_name.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Sizes {
  std::int64_t samples, classes;
};

constexpr std::array sizes{Sizes{1, 2},  Sizes{3, 1},    Sizes{5, 31},  Sizes{33, 10},
                           Sizes{4, 33}, Sizes{2, 1000}, Sizes{512, 10}};

Argument labels_of(const Sizes& s) {
  const Fill any = whole(0, s.classes - 1);
  return {{s.samples}, DType::i64, any, any};
}

Row forward(const Sizes& s, Reduction reduction) {
  const Shape logits{s.samples, s.classes};
  return {.operation = Operation(op::CrossEntropy{reduction}),
          .arguments = dims_text(logits) + ", " + reduction_name(reduction),
          .inputs = {{logits, DType::f32, integers(), reals(-10, 10)}, labels_of(s)},
          .outputs = {{loss_shape(reduction, {s.samples})}, {logits}},
          .classes = {DataClass::real},
          .trivial = s.classes == 1};  // the loss of the only class is 0
}

Row backward(const Sizes& s, Reduction reduction) {
  const Shape logits{s.samples, s.classes};
  return {.operation = Operation(op::CrossEntropyBackward{reduction}),
          .arguments = dims_text(logits) + ", " + reduction_name(reduction),
          .inputs = {{loss_shape(reduction, {s.samples}), DType::f32, integers(), reals(0.5, 2)},
                     {logits, DType::f32, integers(), reals(-8, -0.1)},
                     labels_of(s)},
          .outputs = {{logits}},
          .classes = {DataClass::real}};
}

}  // namespace

void cross_entropy_rows(Suite& suite) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    for (const Sizes& s : sizes) suite.add(forward(s, reduction));
    for (const Sizes& s : sizes) suite.add(backward(s, reduction));
  }
  const double log8 = 2.0794415416798357;
  Row known = forward({2, 8}, Reduction::sum);
  known.arguments += ", equal";
  known.inputs = {written({2, 8}, {3}), written({2}, {0, 7}, DType::i64)};
  known.answers = {{2 * log8}, std::vector<double>(16, -log8)};
  known.ulps = 1;
  suite.answer(DataClass::closed_form, known);

  Row sure = forward({2, 2}, Reduction::mean);
  sure.arguments += ", far apart";
  sure.inputs = {written({2, 2}, {1000, -1000, -500, 500}), written({2}, {1, 1}, DType::i64)};
  sure.answers = {{1000}, {0, -2000, -1000, 0}};
  suite.answer(DataClass::special, sure);

  Row nothing = forward({0, 5}, Reduction::sum);
  nothing.answers = {{0}, {}};
  suite.answer(DataClass::special, nothing);
  nothing = forward({0, 5}, Reduction::mean);
  nothing.answers = {{NAN}, {}};
  suite.answer(DataClass::special, nothing);

  Row gradient = backward({2, 2}, Reduction::mean);
  gradient.arguments += ", by hand";
  gradient.inputs = {written({}, {4}), written({2, 2}, {0, -INFINITY, -INFINITY, 0}),
                     written({2}, {0, 0}, DType::i64)};
  gradient.answers = {{0, 0, -2, 2}};
  suite.answer(DataClass::closed_form, gradient);
}

}  // namespace conformance
