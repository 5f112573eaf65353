// Runs a test of kernels/cpu for each instruction set of this machine that the kernels are made
// for.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>

#include "hwy/targets.h"

namespace backplane::cpu {

template <class Body>
void for_each_target(const Body& body) {
  // Those for which kernels/cpu/CMakeLists.txt has nothing made would run the portable code again.
  constexpr std::int64_t left_out = HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if ((target & left_out) != 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    CAPTURE(hwy::TargetName(target));
    body();
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace backplane::cpu
