// What a device says about itself, and what is made on it.
#include "device.hpp"

#include <array>

#include "buffer.hpp"
#include "event.hpp"
#include "product.hpp"

namespace backplane::opencl {
namespace {

Context make_context(const PlatformDevice& device) {
  const std::string version = text_of(device.device, CL_DEVICE_VERSION);  // "OpenCL 1.2 ..."
  if (version < "OpenCL 1.2") {
    throw plugin::unsupported("opencl: " + text_of(device.device, CL_DEVICE_NAME) + " has " +
                              version + ", the least is OpenCL 1.2; update its driver");
  }
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform), 0};
  if (value_of<cl_device_fp_config>(device.device, CL_DEVICE_DOUBLE_FP_CONFIG) == 0) {
    throw plugin::unsupported("opencl: " + text_of(device.device, CL_DEVICE_NAME) +
                              " has no double precision (cl_khr_fp64), which kernels such as copy "
                              "and fill need; use another device");
  }
  cl_int code = CL_SUCCESS;
  Context made(cl().clCreateContext(properties, 1, &device.device, nullptr, nullptr, &code));
  check(code, "creating a context");
  return made;
}

bp_device_kind kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return BP_KIND_GPU;
  return (type & CL_DEVICE_TYPE_CPU) != 0 ? BP_KIND_CPU : BP_KIND_OTHER;
}

std::string driver_text(const PlatformDevice& device) {
  std::string text = text_of(device.platform, CL_PLATFORM_NAME) + " " +
                     text_of(device.device, CL_DRIVER_VERSION) + ", " +
                     text_of(device.device, CL_DEVICE_OPENCL_C_VERSION);
  for (const char* extension : {"fp64", "fp16", "il_program", "command_buffer"}) {
    if (has_extension(device.device, std::string("cl_khr_") + extension)) {
      text += std::string(", ") + extension;
    }
  }
  return text;
}

}  // namespace

OpenclDevice::OpenclDevice(const PlatformDevice& device)
    : device_(device),
      context_(make_context(device)),
      programs_(context_.get(), device.device, family_of(device.type)),
      uses_clblast_((device.type & CL_DEVICE_TYPE_GPU) != 0 && has_clblast()) {}

void OpenclDevice::info(bp_device_info& info) {
  const cl_device_id id = device_.device;
  info.kind = kind_of(device_.type);
  info.memory_space = BP_MEMORY_DEVICE;
  info.compute_units = value_of<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.memory_bytes = value_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.alignment = value_of<cl_uint>(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;  // it counts bits
  info.asynchronous = 1;
  plugin::copy_text(info.name, sizeof info.name, text_of(id, CL_DEVICE_NAME));
  plugin::copy_text(info.driver, sizeof info.driver, driver_text(device_));
  plugin::copy_text(info.unique_id, sizeof info.unique_id, pci_bus_id(id));
}

// Only AMD's driver tells what is free; elsewhere all memory counts as free, and an allocation says
// when there is no more.
void OpenclDevice::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  const cl_device_id id = device_.device;
  total_bytes = value_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  free_bytes = total_bytes;
  if (has_extension(id, "cl_amd_device_attribute_query")) {
    // KiB: the sum, and the largest block.
    const auto kib = value_of<std::array<std::size_t, 2>>(id, CL_DEVICE_GLOBAL_FREE_MEMORY_AMD);
    free_bytes = std::uint64_t{kib[0]} << 10;
  }
}

std::unique_ptr<plugin::Buffer> OpenclDevice::allocate(std::uint64_t bytes) {
  const bool in_host_memory = (device_.type & CL_DEVICE_TYPE_CPU) != 0;
  return std::make_unique<OpenclBuffer>(opencl::allocate(context_.get(), bytes, in_host_memory),
                                        bytes);
}

std::unique_ptr<plugin::Buffer> OpenclDevice::wrap(void* memory, std::uint64_t bytes) {
  return std::make_unique<OpenclBuffer>(opencl::wrap(context_.get(), memory, bytes), bytes);
}

std::unique_ptr<plugin::Queue> OpenclDevice::create_queue() {
  return std::make_unique<OpenclQueue>(context_.get(), programs_);
}

std::unique_ptr<plugin::Event> OpenclDevice::create_event() {
  return std::make_unique<OpenclEvent>();
}

void OpenclDevice::set_family(const std::string& value) {
  const std::optional<Family> family = parse_family(value);
  if (!family) throw plugin::invalid("opencl: option family takes gpu or cpu, not '" + value + "'");
  programs_.set_family(*family);
}

void OpenclDevice::set_product(const std::string& value) {
  if (value != "clblast" && value != "own") {
    throw plugin::invalid("opencl: option product takes clblast or own, not '" + value + "'");
  }
  if (value == "clblast" && !has_clblast()) {
    throw plugin::unsupported(
        "opencl: no CLBlast here; install it (Debian: libclblast1), or build with libclblast-dev");
  }
  uses_clblast_ = value == "clblast";
}

void OpenclDevice::set_option(const std::string& key, const std::string& value) {
  if (set(key, value)) return;
  if (key == "family") return set_family(value);
  if (key == "product") return set_product(value);
  Device::set_option(key, value);
}

std::shared_ptr<const card::Product> OpenclDevice::product(const card::Check& check,
                                                           plugin::Request& request,
                                                           const card::Matrix& y,
                                                           const card::Matrix& a,
                                                           const card::Matrix& b) const {
  if (programs_.family() == Family::gpu && uses_clblast_) {
    return make_clblast_product(check, y, a, b);
  }
  return make_product(programs_, check, request, y, a, b);
}

}  // namespace backplane::opencl
