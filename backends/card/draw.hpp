// Random numbers' scalars as kernels take them.
#pragma once

#include "arguments.h"
#include "backplane/plugin/ops.hpp"

namespace backplane::card {

[[nodiscard]] inline Draw draw_of(const op::PhiloxScalars& s) {
  return {s.seed_low, s.seed_high, s.site, s.step, s.first_sample};
}

}  // namespace backplane::card
