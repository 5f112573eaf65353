// Why there is no OpenCL device here.
#pragma once

#include "backplane/plugin/backend.hpp"

namespace backplane::opencl {

// Nothing where there is a device.
[[nodiscard]] plugin::Diagnosis diagnose();

}  // namespace backplane::opencl
