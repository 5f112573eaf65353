// Rows of softmax and its gradient.
#include "ops/lines.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

void softmax_rows(Suite& suite) {
  for (const Along& one : softmax_shapes) {
    suite.add({.operation = Operation(op::Softmax{one.axis}),
               .arguments = one.text(),
               .inputs = {{one.shape, DType::f32, integers(), reals(one.low, one.high)}},
               .outputs = {{one.shape}},
               .classes = {DataClass::real}});
    suite.add({.operation = Operation(op::SoftmaxBackward{one.axis}),
               .arguments = one.text(),
               .inputs = {{one.shape}, {one.shape, DType::f32, integers(), reals(0, 0.5)}},
               .outputs = {{one.shape}},
               .classes = {DataClass::real}});
  }
  suite.add({.operation = Operation(op::Softmax{1}),
             .arguments = "0x10, axis 1",
             .inputs = {{{0, 10}}},
             .outputs = {{{0, 10}}},
             .classes = {DataClass::special},
             .trivial = true});
  suite.answer(DataClass::closed_form, {.operation = Operation(op::Softmax{1}),
                                        .arguments = "equal 3x8, axis 1",
                                        .inputs = {written({3, 8}, {5})},
                                        .outputs = {{{3, 8}}},
                                        .answers = {std::vector<double>(24, 0.125)}});
  // The maximum is taken off first; -infinity has no share; a NaN spoils its own line.
  suite.answer(DataClass::special,
               {.operation = Operation(op::Softmax{1}),
                .arguments = "special values 4x2, axis 1",
                .inputs = {written({4, 2}, {1e30, 1e30, -INFINITY, 7, NAN, 1, -1e30, -1e30})},
                .outputs = {{{4, 2}}},
                .answers = {{0.5, 0.5, 0, 1, NAN, NAN, 0.5, 0.5}}});
  suite.answer(DataClass::closed_form,
               {.operation = Operation(op::SoftmaxBackward{1}),
                .arguments = "by hand 1x2, axis 1",
                .inputs = {written({1, 2}, {3, 1}), written({1, 2}, {0.25, 0.75})},
                .outputs = {{{1, 2}}},
                .answers = {{0.375, -0.375}}});
}

}  // namespace conformance
