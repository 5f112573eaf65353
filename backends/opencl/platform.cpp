// Walks through platforms and devices; a platform without a device is no error.
#include "platform.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace backplane::opencl {
namespace {

// cl_ext.h names the first two in some versions only.
constexpr cl_device_info nv_pci_bus_id = 0x4008, nv_pci_slot_id = 0x4009, nv_pci_domain_id = 0x400A;

int rank_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return 0;
  return (type & CL_DEVICE_TYPE_CPU) != 0 ? 1 : 2;
}

void append_devices(cl_platform_id platform, std::vector<PlatformDevice>& devices) {
  cl_uint count = 0;
  const cl_int code = cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) return;  // diagnose() names the platform
  std::vector<cl_device_id> ids(count);
  check(cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
        "listing devices");
  for (const cl_device_id id : ids) {
    devices.push_back({platform, id, value_of<cl_device_type>(id, CL_DEVICE_TYPE)});
  }
}

std::string trimmed(std::string text) {
  text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string bus_id(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%u", domain, bus, device, function);
  return text.data();
}

}  // namespace

std::vector<cl_platform_id> list_platforms() {
  cl_uint count = 0;
  if (!loader_fault().empty() || cl().clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  if (count != 0) {
    check(cl().clGetPlatformIDs(count, platforms.data(), nullptr), "listing platforms");
  }
  return platforms;
}

std::vector<PlatformDevice> list_devices() {
  std::vector<PlatformDevice> devices;
  for (const cl_platform_id platform : list_platforms()) append_devices(platform, devices);
  std::ranges::stable_sort(devices, {}, [](const auto& device) { return rank_of(device.type); });
  return devices;
}

std::string text_of(cl_platform_id platform, cl_platform_info what) {
  std::size_t bytes = 0;
  check(cl().clGetPlatformInfo(platform, what, 0, nullptr, &bytes), "asking about a platform");
  std::string text(bytes, '\0');
  check(cl().clGetPlatformInfo(platform, what, bytes, text.data(), nullptr),
        "asking about a platform");
  return trimmed(text);
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  check(cl().clGetDeviceInfo(device, what, 0, nullptr, &bytes), "asking about a device");
  std::string text(bytes, '\0');
  check(cl().clGetDeviceInfo(device, what, bytes, text.data(), nullptr), "asking about a device");
  return trimmed(text);
}

bool has_extension(cl_device_id device, const std::string& name) {
  const std::string all = " " + text_of(device, CL_DEVICE_EXTENSIONS) + " ";
  return all.find(" " + name + " ") != std::string::npos;
}

std::string pci_bus_id(cl_device_id device) {
  if (has_extension(device, "cl_khr_pci_bus_info")) {
    const auto info = value_of<cl_device_pci_bus_info_khr>(device, CL_DEVICE_PCI_BUS_INFO_KHR);
    return bus_id(info.pci_domain, info.pci_bus, info.pci_device, info.pci_function);
  }
  if (has_extension(device, "cl_nv_device_attribute_query")) {
    cl_uint domain = 0;  // drivers before 2019 have no domain
    cl().clGetDeviceInfo(device, nv_pci_domain_id, sizeof domain, &domain, nullptr);
    const auto slot = value_of<cl_uint>(device, nv_pci_slot_id);
    return bus_id(domain, value_of<cl_uint>(device, nv_pci_bus_id), slot >> 3, slot & 7);
  }
  if (has_extension(device, "cl_amd_device_attribute_query")) {
    // Four bytes of type, 17 unused, then bus, device and function.
    const auto topology = value_of<std::array<unsigned char, 24>>(device, CL_DEVICE_TOPOLOGY_AMD);
    return bus_id(0, topology[21], topology[22], topology[23]);
  }
  return {};
}

}  // namespace backplane::opencl
