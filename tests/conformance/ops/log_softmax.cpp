// Rows of log_softmax and its gradient.
#include "ops/lines.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

void log_softmax_rows(Suite& suite) {
  for (const Along& one : softmax_shapes) {
    suite.add({.operation = Operation(op::LogSoftmax{one.axis}),
               .arguments = one.text(),
               .inputs = {{one.shape, DType::f32, integers(), reals(one.low, one.high)}},
               .outputs = {{one.shape}},
               .classes = {DataClass::real},
               .trivial = one.shape[static_cast<std::size_t>(one.axis)] == 1});
    suite.add({.operation = Operation(op::LogSoftmaxBackward{one.axis}),
               .arguments = one.text(),
               .inputs = {{one.shape}, {one.shape, DType::f32, integers(), reals(-5, -0.1)}},
               .outputs = {{one.shape}},
               .classes = {DataClass::real}});
  }
  suite.add({.operation = Operation(op::LogSoftmax{1}),
             .arguments = "0x10, axis 1",
             .inputs = {{{0, 10}}},
             .outputs = {{{0, 10}}},
             .classes = {DataClass::special},
             .trivial = true});
  suite.answer(DataClass::closed_form,
               {.operation = Operation(op::LogSoftmax{1}),
                .arguments = "equal 3x8, axis 1",
                .inputs = {written({3, 8}, {5})},
                .outputs = {{{3, 8}}},
                .answers = {std::vector<double>(24, -2.0794415416798357)},  // -log 8
                .ulps = 1});
  suite.answer(DataClass::special, {.operation = Operation(op::LogSoftmax{1}),
                                    .arguments = "special values 3x2, axis 1",
                                    .inputs = {written({3, 2}, {-INFINITY, 7, NAN, 1, 500, -500})},
                                    .outputs = {{{3, 2}}},
                                    .answers = {{-INFINITY, 0, NAN, NAN, 0, -1000}}});
  suite.answer(DataClass::closed_form,
               {.operation = Operation(op::LogSoftmaxBackward{1}),
                .arguments = "by hand 1x2, axis 1",
                .inputs = {written({1, 2}, {3, 1}),
                           written({1, 2}, {-0.6931471805599453, -0.6931471805599453})},
                .outputs = {{{1, 2}}},
                .answers = {{1, -1}},
                .ulps = 4});
}

}  // namespace conformance
