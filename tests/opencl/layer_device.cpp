// The answers, byte by byte as the extensions define them.
#include "layer_device.hpp"

#include <CL/cl_ext.h>

#include <array>
#include <cstdlib>

namespace opencl_layer {
namespace {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string setting(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::optional<std::string> told_about_bus(cl_device_info what, const std::string& way) {
  if (what == CL_DEVICE_EXTENSIONS) {
    const std::string name =
        way == "khr" ? "cl_khr_pci_bus_info" : "cl_" + way + "_device_attribute_query";
    return "cl_khr_fp64 " + name + std::string(1, '\0');
  }
  if (way == "khr" && what == CL_DEVICE_PCI_BUS_INFO_KHR) {
    return bytes_of(cl_device_pci_bus_info_khr{1, 0x65, 2, 3});
  }
  if (way == "nv" && what == 0x4008) return bytes_of(cl_uint{0x65});       // bus
  if (way == "nv" && what == 0x4009) return bytes_of(cl_uint{2 * 8 + 3});  // device and function
  if (way == "nv" && what == 0x400A) return bytes_of(cl_uint{1});          // domain
  if (way == "amd" && what == CL_DEVICE_TOPOLOGY_AMD) {
    std::array<char, 24> topology{1};  // 1: PCIe
    topology[21] = 0x65;
    topology[22] = 2;
    topology[23] = 3;
    return bytes_of(topology);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> told_about_device(cl_device_info what) {
  if (const std::string lanes = setting("OPENCL_LAYER_LANES");
      !lanes.empty() && what == CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) {
    return bytes_of(static_cast<cl_uint>(std::stoul(lanes)));
  }
  if (!setting("OPENCL_LAYER_NO_DOUBLE").empty() && what == CL_DEVICE_DOUBLE_FP_CONFIG) {
    return bytes_of(cl_device_fp_config{0});
  }
  const std::string way = setting("OPENCL_LAYER_PCI");
  return way.empty() ? std::nullopt : told_about_bus(what, way);
}

}  // namespace opencl_layer
