// Rows of scale_shift.
#include "ops/elementwise.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

void scale_shift_rows(Suite& suite) {
  const Row like{.operation = Operation(op::ScaleShift{}),
                 .arguments = "",
                 .inputs = {{{}}, {{}}, {{}}},
                 .terms = 2};
  add_function_rows(suite, like);
  add_special_row(suite, like,
                  {{NAN, 1, INFINITY, 0, -INFINITY, 2},
                   {1, NAN, 2, INFINITY, 1, 3},
                   {0, 0, 1, 0, INFINITY, -6}},
                  {NAN, NAN, INFINITY, NAN, NAN, 0});
}

}  // namespace conformance
