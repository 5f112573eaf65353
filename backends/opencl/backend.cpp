// The plug-in's entry: how many devices there are, and which one is opened.
#include "device.hpp"
#include "diagnose.hpp"
#include "platform.hpp"

namespace backplane::opencl {
namespace {

struct OpenclBackend {
  static constexpr const char* name = "opencl";
  static constexpr const char* version = BACKPLANE_OPENCL_VERSION;

  static std::uint32_t device_count() { return static_cast<std::uint32_t>(list_devices().size()); }

  static plugin::Diagnosis diagnose() { return opencl::diagnose(); }

  static std::unique_ptr<plugin::Device> open(std::uint32_t index) {
    const std::vector<PlatformDevice> devices = list_devices();
    if (index >= devices.size()) {
      throw plugin::Failure(BP_NOT_FOUND, "opencl: there are " + std::to_string(devices.size()) +
                                              " devices; asked for number " +
                                              std::to_string(index));
    }
    return std::make_unique<OpenclDevice>(devices[index]);
  }
};

}  // namespace
}  // namespace backplane::opencl

BACKPLANE_BACKEND(backplane::opencl::OpenclBackend)
