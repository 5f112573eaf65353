// The devices of all OpenCL platforms, and what each says about itself.
#pragma once

#include <string>
#include <vector>

#include "errors.hpp"

namespace backplane::opencl {

struct PlatformDevice {
  cl_platform_id platform;
  cl_device_id device;
  cl_device_type type;
};

// GPUs, then CPUs, then the others, each kind in the order of the loader. Asked anew each time.
[[nodiscard]] std::vector<PlatformDevice> list_devices();

// Empty on a loader that finds no driver.
[[nodiscard]] std::vector<cl_platform_id> list_platforms();

[[nodiscard]] std::string text_of(cl_platform_id platform, cl_platform_info what);
[[nodiscard]] std::string text_of(cl_device_id device, cl_device_info what);

template <class T>
[[nodiscard]] T value_of(cl_device_id device, cl_device_info what) {
  T value{};
  check(cl().clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "asking about a device");
  return value;
}

[[nodiscard]] bool has_extension(cl_device_id device, const std::string& name);

// As CUDA writes it, 0000:01:00.0; empty where the driver doesn't tell.
[[nodiscard]] std::string pci_bus_id(cl_device_id device);

}  // namespace backplane::opencl
