// The generator of the process: hands each random call its draw.
#pragma once

#include "backplane/plugin/ops.hpp"

namespace backplane::detail {

// The scalars of the next random call: a site of its own.
[[nodiscard]] op::PhiloxScalars next_draw();

}  // namespace backplane::detail
