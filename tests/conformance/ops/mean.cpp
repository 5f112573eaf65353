// Rows of mean.
#include "ops/ops.hpp"
#include "ops/reduction.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

void mean_rows(Suite& suite) {
  for (const Reduced& one : reduced_shapes) {
    Row row{.operation = Operation(op::Mean{one.axes}),
            .arguments = one.text(),
            .inputs = {{one.shape, DType::f32, whole(-3, 4)}},
            .outputs = {{one.result()}}};
    // A division that rounds may be a multiplication elsewhere.
    if (!one.exact_mean) row.classes = {DataClass::real};
    suite.add(row);
  }
  suite.answer(DataClass::special, {.operation = Operation(op::Mean{2}),
                                    .arguments = "3x0, axes 1",
                                    .inputs = {{{3, 0}}},
                                    .outputs = {{{3, 1}}},
                                    .answers = {{NAN, NAN, NAN}}});
  suite.answer(DataClass::special,
               {.operation = Operation(op::Mean{2}),
                .arguments = "non-finite 3x2, axes 1",
                .inputs = {written({3, 2}, {1, NAN, INFINITY, 1, -INFINITY, INFINITY})},
                .outputs = {{{3, 1}}},
                .answers = {{NAN, INFINITY, NAN}}});
  suite.answer(DataClass::closed_form, {.operation = Operation(op::Mean{3}),
                                        .arguments = "of 1 to 8",
                                        .inputs = {written({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
                                        .outputs = {{{1, 1}}},
                                        .answers = {{4.5}}});
}

}  // namespace conformance
