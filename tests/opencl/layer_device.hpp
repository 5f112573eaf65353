// What the layer says about a device in place of its driver, as the environment asks for it.
#pragma once

#include <CL/cl.h>

#include <optional>
#include <string>

namespace opencl_layer {

// The bytes of the answer; nothing: the driver's.
// OPENCL_LAYER_LANES: how many floats a vector of the device holds.
// OPENCL_LAYER_NO_DOUBLE: it has no double precision.
// OPENCL_LAYER_PCI, khr, nv or amd: by which extension it tells its bus id, 0001:65:02.3.
[[nodiscard]] std::optional<std::string> told_about_device(cl_device_info what);

}  // namespace opencl_layer
