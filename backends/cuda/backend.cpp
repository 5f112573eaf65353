// The plug-in's entry: how many cards there are, and why there is none.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "device.hpp"
#include "errors.hpp"

namespace backplane::cuda {
namespace {

constexpr const char* control_node = "/dev/nvidiactl";

bool driver_is_installed() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) dlclose(driver);
  return driver != nullptr;
}

bool permission_is_missing() {
  return access(control_node, F_OK) == 0 && access(control_node, R_OK | W_OK) != 0;
}

// 12040 is 12.4; any driver of the runtime's major version runs it.
plugin::Diagnosis diagnose_driver() {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const std::string major = std::to_string(runtime / 1000);
  if (driver != 0 && driver / 1000 < runtime / 1000) {
    return {"the NVIDIA driver runs CUDA up to " + std::to_string(driver / 1000) + "." +
                std::to_string(driver % 1000 / 10) + ", this plug-in needs " + major,
            "update the NVIDIA driver, or build backplane with an older CUDA toolkit"};
  }
  if (!driver_is_installed()) {
    return {"libcuda.so.1 not found: no NVIDIA driver on this machine",
            "if it has an NVIDIA card, install its driver (Debian: apt-get install nvidia-driver)"};
  }
  return {};
}

struct CudaBackend {
  static constexpr const char* name = "cuda";
  static constexpr const char* version = BACKPLANE_CUDA_VERSION;
  static constexpr plugin::Offers offers{
      .peer_copies = true, .monitor = true, .pinned_memory = true, .sequences = true};
  static void free_pinned(void* memory) { cudaFreeHost(memory); }

  static std::uint32_t device_count() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return static_cast<std::uint32_t>(count);
    cudaGetLastError();  // diagnose() asks again
    return 0;
  }

  static plugin::Diagnosis diagnose() {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count > 0) return {};
    cudaGetLastError();
    if (code == cudaErrorInsufficientDriver) {
      if (plugin::Diagnosis found = diagnose_driver(); !found.reason.empty()) return found;
    }
    if (permission_is_missing()) {
      return {std::string("no permission to use ") + control_node,
              "add the user to the group that owns it, or start the container with --gpus all"};
    }
    if (code == cudaSuccess || code == cudaErrorNoDevice) {
      return {"the NVIDIA driver finds no card",
              "check that the card is seated and that CUDA_VISIBLE_DEVICES doesn't hide it"};
    }
    return {failure(code, "counting devices").what(), "run nvidia-smi: it must list the card"};
  }

  static std::unique_ptr<plugin::Device> open(std::uint32_t index) {
    const std::uint32_t count = device_count();
    if (index >= count) {
      throw plugin::Failure(BP_NOT_FOUND, "cuda: there are " + std::to_string(count) +
                                              " devices; asked for number " +
                                              std::to_string(index));
    }
    return std::make_unique<CudaDevice>(static_cast<int>(index));
  }
};

}  // namespace
}  // namespace backplane::cuda

BACKPLANE_BACKEND(backplane::cuda::CudaBackend)
