// Where the random numbers of a row start: every word of the counter is in use.
#pragma once

#include "backplane/plugin/ops.hpp"

namespace conformance {

inline constexpr backplane::op::PhiloxScalars somewhere{
    .seed_low = 0x12345678, .seed_high = 0x9ABCDEF0, .site = 3, .step = 7, .first_sample = 41};

}  // namespace conformance
