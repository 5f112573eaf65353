// What a card measures of itself, asked of NVML where the driver has it.
#pragma once

#include "backplane/plugin/abi.h"

namespace backplane::cuda {

// Unsupported if libnvidia-ml.so.1 isn't there. What a card doesn't say is NaN.
void read_monitor(int ordinal, bp_monitor& monitor);

}  // namespace backplane::cuda
