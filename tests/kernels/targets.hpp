// Runs a test of kernels/cpu for each instruction set of this machine that the kernels are made
// for.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>

#include "hwy/targets.h"

namespace backplane::cpu {

template <class Body>
void for_each_target(const Body& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    CAPTURE(hwy::TargetName(target));
    body();
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace backplane::cpu
